// Retry delay: the receiver's Retry-After, else doubling from two seconds to ten minutes; both with up to 20
// % jitter.

const INITIAL_DELAY_MS = 2_000;
const MAX_DELAY_MS = 600_000;
/** Upper bound of a receiver's Retry-After. */
const MAX_RETRY_AFTER_MS = 3_600_000;

export interface FailedAttempt {
  /** That failed so far, this one included. */
  readonly attempts: number;
  readonly retryAfterMs: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/** @returns milliseconds */
export function toRetryDelayMs({ attempts, retryAfterMs, random }: FailedAttempt): number {
  const delayMs =
    retryAfterMs === undefined
      ? Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** Math.min(attempts - 1, 20))
      : Math.min(MAX_RETRY_AFTER_MS, retryAfterMs);
  return Math.round(delayMs * (1 + 0.2 * random));
}

/**
 * Reads `Retry-After`: seconds or an HTTP date (RFC 9110 10.2.3).
 *
 * @returns milliseconds from now, or undefined when it is neither
 */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
