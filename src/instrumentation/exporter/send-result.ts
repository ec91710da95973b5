// What one attempt to send can come to. "Try again" is a value and not an exception, so nobody has to guess from an
// error whether a batch may be kept.

export type SendResult =
  /** Taken; `rejectedSpans` of it were not, and must not be sent again. */
  | { readonly status: 'delivered'; readonly rejectedSpans: number }
  /** Worth another attempt; `afterMs` is what the receiver asked for. */
  | { readonly status: 'retryable'; readonly reason: string; readonly afterMs?: number }
  /** Would be refused again. */
  | { readonly status: 'refused'; readonly reason: string };

export interface ExporterTransport {
  /** Sends one request body. MUST NOT throw or reject. Called one at a time. */
  send(body: Uint8Array): Promise<SendResult>;
  /** Ends what is open; an attempt on the way comes back as retryable. */
  close(): void;
}
