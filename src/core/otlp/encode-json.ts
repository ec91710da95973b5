// Spans to OTLP/JSON, for the producer. Nothing on this path imports protobufjs: it runs inside the MCP server.

import { type Attributes, type AttributeValue, type OtlpSpan, SPAN_KINDS } from './span.ts';

/** A span that is JSON already, with what groups it. */
export interface EncodedSpan {
  readonly resource: Attributes;
  readonly scope: OtlpSpan['scope'];
  /** Equal exactly when resource and scope are. */
  readonly group: string;
  readonly json: string;
}

/**
 * Encodes spans as one ExportTraceServiceRequest; spans of equal resource and scope share a group, in order of first sight.
 * @returns JSON text
 */
export function encodeTracesJson(spans: readonly OtlpSpan[]): string {
  return joinSpansJson(spans.map(encodeSpanJson));
}

/** Encodes one span, so that a batch can be put together later without encoding it all at once. */
export function encodeSpanJson(span: OtlpSpan): EncodedSpan {
  const { resource, scope } = span;
  return {
    resource,
    scope,
    group: JSON.stringify([resource, scope]),
    json: JSON.stringify(toJsonSpan(span)),
  };
}

/** Puts encoded spans together to one ExportTraceServiceRequest. */
export function joinSpansJson(spans: readonly EncodedSpan[]): string {
  const groups = new Map<string, { first: EncodedSpan; json: string[] }>();
  for (const span of spans) {
    const known = groups.get(span.group);
    if (known === undefined) groups.set(span.group, { first: span, json: [span.json] });
    else known.json.push(span.json);
  }
  return `{"resourceSpans":[${[...groups.values()].map(joinGroup).join(',')}]}`;
}

function joinGroup({
  first,
  json,
}: {
  readonly first: EncodedSpan;
  readonly json: readonly string[];
}): string {
  const resource = JSON.stringify({ attributes: toKeyValues(first.resource) });
  return `{"resource":${resource},"scopeSpans":[{"scope":${JSON.stringify(first.scope)},"spans":[${json.join(',')}]}]}`;
}

function toJsonSpan(span: OtlpSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === '' ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: SPAN_KINDS.indexOf(span.kind),
    startTimeUnixNano: toNanos(span.startUs),
    endTimeUnixNano: toNanos(span.endUs),
    attributes: toKeyValues(span.attributes),
    ...(span.events.length === 0 ? {} : { events: span.events.map(toJsonEvent) }),
    ...(span.links.length === 0 ? {} : { links: span.links }),
    status: span.status,
  };
}

function toJsonEvent(event: OtlpSpan['events'][number]): object {
  return { name: event.name, timeUnixNano: toNanos(event.atUs), attributes: toKeyValues(event.attributes) };
}

/** Microseconds to nanoseconds as text: the product does not fit a double. */
function toNanos(us: number): string {
  const whole = Math.max(0, Math.floor(us));
  return whole === 0 ? '0' : `${whole}000`;
}

function toKeyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toAnyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return toNumberValue(value);
  if (isList(value)) return { arrayValue: { values: value.map(toAnyValue) } };
  return { kvlistValue: { values: toKeyValues(value) } };
}

function toNumberValue(value: number): object {
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  return { doubleValue: Number.isFinite(value) ? value : String(value) };
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: AttributeValue): value is readonly AttributeValue[] {
  return Array.isArray(value);
}
