// Maps an HTTP response to a send result as defined by OTLP/HTTP: only 429, 502, 503 and 504 are retried, and
// a success with an unreadable body is still a success.

import { parseRetryAfter } from '../../core/values/backoff.ts';
import type { SendResult } from './send-result.ts';

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface ReceiverResponse {
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** Milliseconds since the epoch; the reference for an HTTP-date. */
  readonly nowMs: number;
}

export function parseReceiverResponse({ statusCode, retryAfter, body, nowMs }: ReceiverResponse): SendResult {
  if (statusCode >= 200 && statusCode < 300) {
    return { status: 'delivered', rejectedSpans: parseRejectedSpans(body) };
  }
  const reason = `the receiver answered ${statusCode}`;
  if (!RETRYABLE_STATUS.has(statusCode)) return { status: 'refused', reason };
  const afterMs = parseRetryAfter(retryAfter, nowMs);
  return { status: 'retryable', reason, ...(afterMs !== undefined && { afterMs }) };
}

function parseRejectedSpans(body: string): number {
  try {
    const count = Number(JSON.parse(body)?.partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    // The batch was delivered nevertheless.
    return 0;
  }
}
