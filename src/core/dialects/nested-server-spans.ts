// One call, several server spans: FastMCP opens one per mounted server and per layer, all in one process. The outermost
// stays. Works on the spans of one request, where exporters nearly always put them together.

import type { OtlpSpan } from '../otlp/span.ts';
import { ATTR_METHOD_NAME, ATTR_SERVICE_NAME } from '../semconv/conventions.ts';
import { TOOLSCOPE_SCOPE } from '../semconv/toolscope-attributes.ts';
import { readText } from './attribute-reader.ts';

export interface NestedServerSpans {
  readonly kept: readonly OtlpSpan[];
  /** To be counted as `nested_server_span`. */
  readonly dropped: readonly OtlpSpan[];
}

/**
 * Takes out MCP server spans that stand under another server span of the same method and service in the same trace,
 * with no client span in between: a client span would mean a call of its own. Spans of ours never go: each is one
 * request on the wire.
 */
export function dropNestedServerSpans(spans: readonly OtlpSpan[]): NestedServerSpans {
  const byId = new Map(spans.map((span) => [toSpanKey(span.traceId, span.spanId), span]));
  const kept: OtlpSpan[] = [];
  const dropped: OtlpSpan[] = [];
  for (const span of spans) (isNested(span, byId) ? dropped : kept).push(span);
  return { kept, dropped };
}

function isNested(span: OtlpSpan, byId: ReadonlyMap<string, OtlpSpan>): boolean {
  if (!isServerSpan(span) || span.scope.name === TOOLSCOPE_SCOPE) return false;
  // A trace may be circular by mistake; no path is longer than there are spans.
  let ancestor = byId.get(toSpanKey(span.traceId, span.parentSpanId));
  for (let steps = 0; ancestor !== undefined && ancestor.kind !== 'client' && steps < byId.size; steps += 1) {
    if (isSameCall(span, ancestor)) return true;
    ancestor = byId.get(toSpanKey(ancestor.traceId, ancestor.parentSpanId));
  }
  return false;
}

function isSameCall(span: OtlpSpan, ancestor: OtlpSpan): boolean {
  return (
    ancestor !== span &&
    isServerSpan(ancestor) &&
    readText(ancestor.attributes, [ATTR_METHOD_NAME]) === readText(span.attributes, [ATTR_METHOD_NAME]) &&
    readText(ancestor.resource, [ATTR_SERVICE_NAME]) === readText(span.resource, [ATTR_SERVICE_NAME])
  );
}

function isServerSpan(span: OtlpSpan): boolean {
  return span.kind === 'server' && readText(span.attributes, [ATTR_METHOD_NAME]) !== '';
}

function toSpanKey(traceId: string, spanId: string): string {
  return `${traceId}/${spanId}`;
}
