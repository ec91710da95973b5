// A span as it came off the wire, protobuf or JSON, with its resource and scope beside it: what decoders return and
// dialects read. Times are microseconds, because that is what the store keeps.

export type AttributeValue =
  | string
  | number
  | boolean
  | readonly AttributeValue[]
  | { readonly [key: string]: AttributeValue };

export type Attributes = Readonly<Record<string, AttributeValue>>;

export const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

export type SpanKind = (typeof SPAN_KINDS)[number];

export interface SpanEvent {
  readonly name: string;
  readonly atUs: number;
  readonly attributes: Attributes;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

export interface OtlpSpan {
  /** Lower-case hex, 32 digits. Decoders keep a malformed one as it came; the ingest rejects it. */
  readonly traceId: string;
  /** Lower-case hex, 16 digits. */
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startUs: number;
  readonly endUs: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  /** OTLP status code: 0 unset, 1 ok, 2 error. */
  readonly status: { readonly code: 0 | 1 | 2; readonly message: string };
  readonly scope: { readonly name: string; readonly version: string };
  readonly resource: Attributes;
}
