// Maps many rows and yields to the event loop in between: converting ten thousand rows takes 0.1 s, which
// would delay `/healthz`.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum time per turn of the event loop, in milliseconds. */
const MAX_BLOCKING_MS = 10;

/** @returns the converted items; a few are converted synchronously. Rejects with what `convert` throws */
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
