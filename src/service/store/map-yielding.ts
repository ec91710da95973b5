// Work on many rows that leaves the event loop to others in between: reading ten thousand rows takes a tenth of a second, and whoever
// asks for `/healthz` would wait for all of it.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one piece of work may keep the event loop, in milliseconds. */
const MAX_BLOCKING_MS = 10;

/** @returns what `convert` makes of each; few are converted in the same turn. Rejects with what `convert` throws */
export async function mapYielding<From, To>(
  rows: readonly From[],
  convert: (row: From) => To,
): Promise<To[]> {
  const converted: To[] = [];
  let startedMs = performance.now();
  for (const row of rows) {
    if (performance.now() - startedMs > MAX_BLOCKING_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
    converted.push(convert(row));
  }
  return converted;
}
