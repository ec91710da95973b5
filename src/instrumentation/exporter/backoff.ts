// Computes the delay before the next attempt.

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
/** Upper bound of a receiver's `Retry-After` (ms); calls wait in memory meanwhile. */
const MAX_RETRY_AFTER_MS = 120_000;

export interface RetryState {
  /** Consecutive failed attempts, including the latest. */
  readonly failures: number;
  readonly afterMs: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * The delay before the next attempt: the receiver's `Retry-After`, else exponential from one second to
 * thirty. Both get up to 20 % of jitter, so that the processes of one machine do not retry at the same time.
 *
 * @returns milliseconds
 */
export function computeBackoffMs({ failures, afterMs, random }: RetryState): number {
  const baseMs =
    afterMs === undefined
      ? Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10))
      : Math.min(MAX_RETRY_AFTER_MS, afterMs);
  return Math.round(baseMs * (1 + 0.2 * random));
}
