// The delay before a failed request is repeated.

export interface BackoffLimits {
  /** Delay after the first failure; it doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** Upper bound of a receiver's `Retry-After`; by default `maxMs`. */
  readonly maxRetryAfterMs?: number;
}

export interface FailedAttempt {
  /** Consecutive failed attempts, including the latest. */
  readonly failures: number;
  /** What the receiver requested; takes precedence over the exponential delay. */
  readonly retryAfterMs?: number | undefined;
  /** In [0, 1). Adds up to 20 % of jitter, so that many senders do not retry at the same time. By default 0. */
  readonly random?: number;
}

/** @returns milliseconds; 0 without a failure */
export function computeBackoffMs(
  { failures, retryAfterMs, random = 0 }: FailedAttempt,
  { firstMs, maxMs, maxRetryAfterMs = maxMs }: BackoffLimits,
): number {
  if (failures === 0) return 0;
  const delayMs =
    retryAfterMs === undefined
      ? Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 20))
      : Math.min(maxRetryAfterMs, retryAfterMs);
  return Math.round(delayMs * (1 + 0.2 * random));
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3): seconds or an HTTP-date.
 * @returns milliseconds from now, never negative; undefined when it is missing or malformed
 */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
