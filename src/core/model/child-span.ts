// A child span: work of a tool during one call, such as a database query or an HTTP request, as the tracing of
// the server's process reports it.

/** What a span talks to; `internal` for work inside the process. */
export const CHILD_SPAN_KINDS = ['db', 'http', 'rpc', 'messaging', 'ai', 'mcp', 'internal'] as const;

export type ChildSpanKind = (typeof CHILD_SPAN_KINDS)[number];

/** Child spans kept of one call. */
export const MAX_SPANS_PER_CALL = 64;

/** A child span, redacted, before its call is known. */
export interface ChildSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly durationUs: number;
  /** Masked like an error message. */
  readonly name: string;
  readonly kind: ChildSpanKind;
  /** What it talks to, such as `postgresql:orders` or `api.example.com`; '' for `internal`. */
  readonly dependency: string;
  readonly failed: boolean;
  readonly errorType: string;
}
