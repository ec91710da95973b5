// Adds to a transport the time of the next attempt. It does not wait itself, because the exporter keeps the
// batch on disk in the meantime.

import { type BackoffLimits, computeBackoffMs } from '../../core/values/backoff.ts';
import type { ExporterTransport, SendResult } from './send-result.ts';

/** Calls wait in memory or on disk meanwhile, so the delays are short. */
const BACKOFF: BackoffLimits = { firstMs: 1_000, maxMs: 30_000, maxRetryAfterMs: 120_000 };

/** Upper bound of a request body, which only a single span can exceed. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export type RetryingSendResult =
  | Exclude<SendResult, { readonly status: 'retryable' }>
  | { readonly status: 'retryable'; readonly reason: string; readonly delayMs: number };

export interface RetryingTransport {
  send(body: Uint8Array): Promise<RetryingSendResult>;
  close(): void;
  readonly isFailing: boolean;
  /** Earliest time of the next attempt (epoch ms) if the receiver requested one, else 0. */
  readonly notBeforeMs: number;
}

/** @param random in [0, 1); adds jitter to the delays */
export function createRetryingTransport(
  transport: ExporterTransport,
  random: () => number,
): RetryingTransport {
  let failures = 0;
  let notBeforeMs = 0;
  return {
    async send(body) {
      const result: SendResult =
        body.length > MAX_BODY_BYTES
          ? { status: 'refused', reason: 'one call is larger than 4 MiB' }
          : await transport.send(body);
      failures = result.status === 'retryable' ? failures + 1 : 0;
      notBeforeMs = 0;
      if (result.status !== 'retryable') return result;
      const { reason, afterMs } = result;
      const delayMs = computeBackoffMs({ failures, retryAfterMs: afterMs, random: random() }, BACKOFF);
      if (afterMs !== undefined) notBeforeMs = Date.now() + delayMs;
      return { status: 'retryable', reason, delayMs };
    },
    close: () => transport.close(),
    get isFailing() {
      return failures > 0;
    },
    get notBeforeMs() {
      return notBeforeMs;
    },
  };
}
