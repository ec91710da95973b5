// Triggers minor garbage collections. Memory of bytes from another thread is freed only when their objects
// are collected, but does not itself cause a collection: with little parsing, 60 MB of garbage accumulate
// (measured). For use only in a thread of our own in a process of our own.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes after which the young generation is collected, which takes less than a millisecond. */
const GC_AFTER_BYTES = 2 * 1024 * 1024;

/**
 * Creates a counter of bytes received from another thread that triggers the collections. Call it after the
 * bytes were processed.
 */
export function createMinorGcTrigger(): (bytes: number) => void {
  let runGc: (() => void) | undefined;
  let bytesSinceGc = 0;
  return (bytes) => {
    bytesSinceGc += bytes;
    if (bytesSinceGc < GC_AFTER_BYTES) return;
    bytesSinceGc = 0;
    runGc ??= loadMinorGc();
    runGc();
  };
}

/** Loaded on first use, because most connections never carry that many bytes. */
function loadMinorGc(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  return typeof collector === 'function' ? () => collector({ type: 'minor' }) : () => {};
}
