// The result of one attempt to send. A failure is a value, so that callers need not infer from an error
// whether to keep the batch.

export type SendResult =
  /** Accepted, except for `rejectedSpans` spans, which must not be sent again. */
  | { readonly status: 'delivered'; readonly rejectedSpans: number }
  /** Worth retrying; `afterMs` is the delay that the receiver requested. */
  | { readonly status: 'retryable'; readonly reason: string; readonly afterMs?: number }
  /** Would be refused again. */
  | { readonly status: 'refused'; readonly reason: string };

export interface ExporterTransport {
  /** Sends one request body. Must not throw or reject. Callers wait for one request before the next. */
  send(body: Uint8Array): Promise<SendResult>;
  /** Closes open connections; an attempt in flight ends as retryable. */
  close(): void;
}
