// A whole ExportTraceServiceRequest, already parsed, to spans. Order is kept; resource and scope are read once and shared.

import { MAX_EVENTS, MAX_NAME_LENGTH } from './limits.ts';
import { arrayOf, type Fields, optionalObject, readAttributes, textOf, type Wire } from './read-value.ts';
import { type OtlpSpan, SPAN_KINDS, type SpanEvent, type SpanKind, type SpanLink } from './span.ts';

interface Place {
  readonly resource: OtlpSpan['resource'];
  readonly scope: OtlpSpan['scope'];
}

/**
 * Reads every span of a request.
 * @param request a decoded protobuf message or a parsed JSON object
 * @throws MalformedDocument when something is not what its field says
 */
export function readSpans(request: unknown, wire: Wire): OtlpSpan[] {
  const spans: OtlpSpan[] = [];
  for (const item of arrayOf(optionalObject(request, 'document')?.['resourceSpans'], 'resourceSpans')) {
    const group = optionalObject(item, 'resourceSpans[]') ?? {};
    const resource = optionalObject(group['resource'], 'resource') ?? {};
    const attributes = readAttributes(resource['attributes'], 'resource.attributes', wire);
    for (const inner of arrayOf(group['scopeSpans'], 'scopeSpans')) {
      readScope(optionalObject(inner, 'scopeSpans[]') ?? {}, { attributes, wire, spans });
    }
  }
  return spans;
}

function readScope(
  group: Fields,
  into: { attributes: OtlpSpan['resource']; wire: Wire; spans: OtlpSpan[] },
): void {
  const fields = optionalObject(group['scope'], 'scope') ?? {};
  const scope = {
    name: textOf(fields['name'], 'scope.name', MAX_NAME_LENGTH),
    version: textOf(fields['version'], 'scope.version', MAX_NAME_LENGTH),
  };
  for (const item of arrayOf(group['spans'], 'spans')) {
    const span = optionalObject(item, 'spans[]');
    if (span !== undefined) into.spans.push(readSpan(span, { resource: into.attributes, scope }, into.wire));
  }
}

function readSpan(span: Fields, place: Place, wire: Wire): OtlpSpan {
  return {
    traceId: wire.id(span['traceId'], 'span.traceId'),
    spanId: wire.id(span['spanId'], 'span.spanId'),
    parentSpanId: wire.id(span['parentSpanId'], 'span.parentSpanId'),
    name: textOf(span['name'], 'span.name', MAX_NAME_LENGTH),
    kind: readKind(span['kind'], wire),
    startUs: wire.micros(span['startTimeUnixNano'], 'span.startTimeUnixNano'),
    endUs: wire.micros(span['endTimeUnixNano'], 'span.endTimeUnixNano'),
    attributes: readAttributes(span['attributes'], 'span.attributes', wire),
    events: arrayOf(span['events'], 'span.events')
      .slice(0, MAX_EVENTS)
      .map((event) => readEvent(optionalObject(event, 'span.events[]') ?? {}, wire)),
    links: arrayOf(span['links'], 'span.links')
      .slice(0, MAX_EVENTS)
      .map((link) => readLink(optionalObject(link, 'span.links[]') ?? {}, wire)),
    status: readStatus(optionalObject(span['status'], 'span.status') ?? {}, wire),
    scope: place.scope,
    resource: place.resource,
  };
}

/** A kind from a newer protocol counts as unspecified. */
function readKind(value: unknown, wire: Wire): SpanKind {
  const at = wire.int64(value ?? 0, 'span.kind');
  return typeof at === 'number' ? (SPAN_KINDS[at] ?? 'unspecified') : 'unspecified';
}

function readEvent(event: Fields, wire: Wire): SpanEvent {
  return {
    name: textOf(event['name'], 'event.name', MAX_NAME_LENGTH),
    atUs: wire.micros(event['timeUnixNano'], 'event.timeUnixNano'),
    attributes: readAttributes(event['attributes'], 'event.attributes', wire),
  };
}

function readLink(link: Fields, wire: Wire): SpanLink {
  return {
    traceId: wire.id(link['traceId'], 'link.traceId'),
    spanId: wire.id(link['spanId'], 'link.spanId'),
  };
}

function readStatus(status: Fields, wire: Wire): OtlpSpan['status'] {
  const code = wire.int64(status['code'] ?? 0, 'status.code');
  return {
    code: code === 1 || code === 2 ? code : 0,
    message: textOf(status['message'], 'status.message'),
  };
}
