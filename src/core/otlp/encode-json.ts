// Spans to OTLP/JSON, for the producer. Nothing on this path imports protobufjs: it runs inside the MCP server.

import { type Attributes, type AttributeValue, type OtlpSpan, SPAN_KINDS } from './span.ts';

/** A span that is JSON already, with what groups it. */
export interface EncodedSpan {
  readonly resource: Attributes;
  readonly scope: OtlpSpan['scope'];
  /** Equal exactly when resource and scope are. */
  readonly group: string;
  /** UTF-8. */
  readonly bytes: Uint8Array;
}

/**
 * Encodes spans as one ExportTraceServiceRequest; spans of equal resource and scope share a group, in order of first sight.
 * @returns JSON text
 */
export function encodeTracesJson(spans: readonly OtlpSpan[]): string {
  return Buffer.from(joinSpansJson(spans.map(encodeSpanJson))).toString();
}

/** Encodes one span, so that a batch can be put together later by copying bytes. */
export function encodeSpanJson(span: OtlpSpan): EncodedSpan {
  const { resource, scope } = span;
  return { resource, scope, group: JSON.stringify([resource, scope]), bytes: Buffer.from(spanJson(span)) };
}

/** Puts encoded spans together to one ExportTraceServiceRequest, UTF-8: 256 spans take less than half a millisecond. */
export function joinSpansJson(spans: readonly EncodedSpan[]): Uint8Array {
  const groups = new Map<string, { first: EncodedSpan; members: Uint8Array[] }>();
  for (const span of spans) {
    const known = groups.get(span.group);
    if (known === undefined) groups.set(span.group, { first: span, members: [span.bytes] });
    else known.members.push(COMMA, span.bytes);
  }
  const pieces: Uint8Array[] = [];
  for (const { first, members } of groups.values()) {
    const { resource, scope } = first;
    const before = pieces.length === 0 ? '{"resourceSpans":[' : ',';
    pieces.push(Buffer.from(before + toHead(resource, scope)), ...members, GROUP_END);
  }
  return Buffer.concat([...(pieces.length === 0 ? [Buffer.from('{"resourceSpans":[')] : pieces), END]);
}

let recentHead = { group: '', bytes: Buffer.alloc(0) };

/** One encoded span as an item of `resourceSpans`, UTF-8. */
export function toResourceSpansJson({ group, resource, scope, bytes }: EncodedSpan): Uint8Array {
  if (recentHead.group !== group) recentHead = { group, bytes: Buffer.from(toHead(resource, scope)) };
  return Buffer.concat([recentHead.bytes, bytes, GROUP_END]);
}

function toHead(resource: Attributes, scope: OtlpSpan['scope']): string {
  return `{"resource":{"attributes":${keyValuesJson(resource)}},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[`;
}

const COMMA = Buffer.from(',');
const GROUP_END = Buffer.from(']}]}');
const END = Buffer.from(']}');

// Text is put together by hand: building the objects that OTLP wants around every value, only to stringify them, takes
// three times as long, and this runs in the process of the MCP server.

function spanJson(span: OtlpSpan): string {
  const parent = span.parentSpanId === '' ? '' : `,"parentSpanId":${quote(span.parentSpanId)}`;
  const events = span.events.length === 0 ? '' : `,"events":[${span.events.map(eventJson).join(',')}]`;
  const links = span.links.length === 0 ? '' : `,"links":${JSON.stringify(span.links)}`;
  return (
    `{"traceId":${quote(span.traceId)},"spanId":${quote(span.spanId)}${parent},"name":${quote(span.name)}` +
    `,"kind":${SPAN_KINDS.indexOf(span.kind)}` +
    `,"startTimeUnixNano":"${toNanos(span.startUs)}","endTimeUnixNano":"${toNanos(span.endUs)}"` +
    `,"attributes":${keyValuesJson(span.attributes)}${events}${links},"status":${JSON.stringify(span.status)}}`
  );
}

function eventJson(event: OtlpSpan['events'][number]): string {
  return `{"name":${quote(event.name)},"timeUnixNano":"${toNanos(event.atUs)}","attributes":${keyValuesJson(event.attributes)}}`;
}

/** Microseconds to nanoseconds as text: the product does not fit a double. */
function toNanos(us: number): string {
  const whole = Math.max(0, Math.floor(us));
  return whole === 0 ? '0' : `${whole}000`;
}

function keyValuesJson(attributes: Attributes): string {
  let json = '';
  for (const [key, value] of Object.entries(attributes)) {
    json += `${json === '' ? '' : ','}{"key":${quote(key)},"value":${anyValueJson(value)}}`;
  }
  return `[${json}]`;
}

function anyValueJson(value: AttributeValue): string {
  if (typeof value === 'string') return `{"stringValue":${quote(value)}}`;
  if (typeof value === 'boolean') return `{"boolValue":${value}}`;
  if (typeof value === 'number') return numberJson(value);
  if (isList(value)) return `{"arrayValue":{"values":[${value.map(anyValueJson).join(',')}]}}`;
  return `{"kvlistValue":{"values":${keyValuesJson(value)}}}`;
}

function numberJson(value: number): string {
  if (Number.isSafeInteger(value)) return `{"intValue":"${value}"}`;
  return `{"doubleValue":${Number.isFinite(value) ? value : `"${value}"`}}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: AttributeValue): value is readonly AttributeValue[] {
  return Array.isArray(value);
}
