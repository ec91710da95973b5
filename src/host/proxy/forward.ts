// One direction of a pipe: chunks go on as they came, in order, and a source is read no faster than its destination
// takes. Whoever listens in gets each chunk after it went on, and cannot hold anything up but by being slow.

import type { Readable, Writable } from 'node:stream';

/** Sees a chunk that went on; MUST NOT throw and MUST NOT change it. */
export type Tap = (chunk: Uint8Array) => void;

/** What goes on in place of a chunk, and where; the first writable without room is waited for. */
type Pass = (chunk: Uint8Array) => Writable | undefined;

/**
 * Forwards until the source ends or the destination is gone. A destination that breaks ends the source too, so that
 * whoever writes there learns it as he would without us. The destination is left open.
 * @returns resolves when no more will be forwarded; never rejects
 */
export function forward(source: Readable, destination: Writable, tap: Tap): Promise<void> {
  return pump(source, destination, (chunk) => {
    const hasRoom = destination.write(chunk);
    tap(chunk);
    return hasRoom ? undefined : destination;
  });
}

/**
 * The same for a source whose chunks something else may go on for.
 * @param pass writes what goes on; returns the writable to wait for, if one is full
 */
export function pump(source: Readable, destination: Writable, pass: Pass): Promise<void> {
  return new Promise((resolve) => {
    function stop(): void {
      source.destroy();
      resolve();
    }
    source.on('data', (chunk: Uint8Array) => {
      const full = pass(chunk);
      if (full === undefined) return;
      source.pause();
      full.once('drain', () => source.resume());
    });
    source.once('end', resolve);
    source.once('error', () => resolve());
    source.once('close', resolve);
    destination.once('error', stop);
    destination.once('close', stop);
  });
}
