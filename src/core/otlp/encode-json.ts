// Spans to OTLP/JSON, for the producer. Nothing on this path imports protobufjs: it runs inside the MCP server.

import { type Attributes, type AttributeValue, type OtlpSpan, SPAN_KINDS } from './span.ts';

/**
 * Encodes spans as one ExportTraceServiceRequest; spans of equal resource and scope share a group, in order of first sight.
 * @returns JSON text
 */
export function encodeTracesJson(spans: readonly OtlpSpan[]): string {
  const resources = new Map<string, { resource: Attributes; scopes: Map<string, OtlpSpan[]> }>();
  for (const span of spans) {
    const group = findOrAdd(resources, JSON.stringify(span.resource), () => ({
      resource: span.resource,
      scopes: new Map<string, OtlpSpan[]>(),
    }));
    findOrAdd(group.scopes, JSON.stringify(span.scope), () => []).push(span);
  }
  return JSON.stringify({
    resourceSpans: [...resources.values()].map(({ resource, scopes }) => ({
      resource: { attributes: toKeyValues(resource) },
      scopeSpans: [...scopes.values()].map((group) => ({
        scope: group[0]?.scope,
        spans: group.map(toJsonSpan),
      })),
    })),
  });
}

function findOrAdd<V>(map: Map<string, V>, key: string, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
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
