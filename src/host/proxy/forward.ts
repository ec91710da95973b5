// One direction of a pipe: chunks go on as they came, in order, and a source is read no faster than its destination
// takes. Whoever listens in gets each chunk after it went on, and cannot hold anything up but by being slow.

import type { Readable, Writable } from 'node:stream';

/** Sees a chunk that went on; MUST NOT throw and MUST NOT change it. */
export type Tap = (chunk: Uint8Array) => void;

/**
 * Forwards until the source ends or the destination is gone. A destination that breaks ends the source too, so that
 * whoever writes there learns it as he would without us. The destination is left open.
 * @returns resolves when no more will be forwarded; never rejects
 */
export function forward(source: Readable, destination: Writable, tap: Tap): Promise<void> {
  return new Promise((resolve) => {
    function stop(): void {
      source.destroy();
      resolve();
    }
    source.on('data', (chunk: Uint8Array) => {
      const hasRoom = destination.write(chunk);
      tap(chunk);
      if (hasRoom) return;
      source.pause();
      destination.once('drain', () => source.resume());
    });
    source.once('end', resolve);
    source.once('error', () => resolve());
    source.once('close', resolve);
    destination.once('error', stop);
    destination.once('close', stop);
  });
}
