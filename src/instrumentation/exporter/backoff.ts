// How long to wait before the next attempt.

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
/** A receiver that asks for more gets asked again after this; calls wait in memory meanwhile. */
const MAX_RETRY_AFTER_MS = 120_000;

export interface RetryState {
  /** Attempts that failed in a row, this one included. */
  readonly failures: number;
  readonly afterMs: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * The wait before the next attempt: what the receiver asked for, else doubling from one second to thirty; both with
 * up to 20 % on top, so that the processes of one host do not come back together.
 * @returns milliseconds
 */
export function computeBackoffMs({ failures, afterMs, random }: RetryState): number {
  const baseMs =
    afterMs === undefined
      ? Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10))
      : Math.min(MAX_RETRY_AFTER_MS, afterMs);
  return Math.round(baseMs * (1 + 0.2 * random));
}
