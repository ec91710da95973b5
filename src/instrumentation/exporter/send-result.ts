// The result of one attempt to send, and how it follows from an HTTP response. A failure is a value, so that callers need not infer from an error
// whether to keep the batch.

import { parseRetryAfter } from '../../core/values/backoff.ts';

export type SendResult =
  /** Accepted, except for `rejectedSpans` spans, which must not be sent again. */
  | { readonly status: 'delivered'; readonly rejectedSpans: number }
  /** Worth retrying; `afterMs` is the delay that the receiver requested. */
  | { readonly status: 'retryable'; readonly reason: string; readonly afterMs?: number }
  | { readonly status: 'refused'; readonly reason: string };

export interface ExporterTransport {
  /** Sends one request body. Must not throw or reject. Callers wait for one request before the next. */
  send(body: Uint8Array): Promise<SendResult>;
  /** Closes open connections; an attempt in flight ends as retryable. */
  close(): void;
}

/** As OTLP/HTTP defines it. */
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface ReceiverResponse {
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** Milliseconds since the epoch; the reference for an HTTP-date. */
  readonly nowMs: number;
}

/** A success with an unreadable body is still a success. */
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
