// Bytes that come from another thread are freed when their objects are collected, and make V8 collect nothing: where little is
// parsed, 60 MB that nobody holds wait for that (measured). So whoever takes them asks for it now and then. Only for a thread of
// our own in a process of our own.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes after which the young objects are collected: that takes less than a millisecond. */
const GC_AFTER_BYTES = 2 * 1024 * 1024;

/** Creates a counter of bytes that came from another thread, which collects them. Call it when they are done with. */
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

/** Made when it is first needed: most connections never carry as much. */
function loadMinorGc(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  return typeof collector === 'function' ? () => collector({ type: 'minor' }) : () => {};
}
