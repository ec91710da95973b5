// Rows of table `child_spans`. Ids inside a call have 32 bits, because 64 spans need no more and a random id cannot be
// compressed; a row leaves out columns with their default.

import type { ChildSpan } from '../../core/model/child-span.ts';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import type { CallNames, ColumnReplacements } from './call-names.ts';
import { formatValue } from './format-row.ts';

/** The call that a child span belongs to, with its names as they are stored. */
export interface SpanCall {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly durationUs: number;
  readonly server: string;
  readonly tool: string;
  readonly environment: string;
  readonly version: string;
  readonly client: string;
}

/** @param names of the call, before those beyond a limit were replaced */
export function toSpanCall(
  { traceId, spanId, startedAtUs, endedAtUs, replacements = {} }: AcceptedCall,
  names: CallNames,
): SpanCall {
  return {
    ...{ traceId, spanId, startedAtUs, durationUs: endedAtUs - startedAtUs },
    server: replacements['server_name'] ?? names.server ?? '',
    tool: replacements['tool_name'] ?? names.tool ?? '',
    environment: replacements['environment'] ?? names.environment ?? '',
    version: replacements['server_version'] ?? names.version ?? '',
    client: replacements['client_name'] ?? names.client ?? '',
  };
}

interface AcceptedCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly startedAtUs: number;
  readonly endedAtUs: number;
  readonly replacements?: ColumnReplacements;
}

/** Where a child span stands in its call. */
export interface SpanPlace {
  readonly call: SpanCall;
  /** Id of the parent within the call; 0 for the call itself. */
  readonly parentId: number;
  /** Whether a span above it already talks to a dependency, whose time includes its own. */
  readonly isNested: boolean;
  /** Whether it is the first kept of its call; its row counts the time of the call. */
  readonly isFirst: boolean;
}

/** @returns the id of a span within its call: never 0, which is the call */
export function toChildId(spanId: string): number {
  const folded = Number.parseInt(spanId.slice(0, 8), 16) ^ Number.parseInt(spanId.slice(8), 16);
  return folded >>> 0 || 1;
}

/** @returns the columns of the call, the same for all of its spans: the beginning of a line */
export function toChildSpanHead(call: SpanCall): string {
  const row = formatValue({
    server_name: call.server,
    tool_name: call.tool,
    ...(call.environment !== '' && { environment: call.environment }),
    ...(call.version !== '' && { server_version: call.version }),
    ...(call.client !== '' && { client_name: call.client }),
    trace_id: call.traceId,
    span_id: call.spanId,
    started_at: formatDateTime64(call.startedAtUs),
  });
  return row.slice(0, -1);
}

/**
 * Concatenates, because a host sends several spans for each call and serialising an object takes four times as long.
 *
 * @param head of the call, from `toChildSpanHead`
 * @returns a line of table `child_spans`
 */
export function toChildSpanRow(
  head: string,
  span: ChildSpan,
  { call, parentId, isFirst, isNested }: SpanPlace,
): string {
  let row = `${head},"child_id":${toChildId(span.spanId)}`;
  if (isFirst) row += `,"call_us":${Math.max(1, Math.round(call.durationUs))}`;
  if (parentId !== 0) row += `,"parent_id":${parentId}`;
  row += `,"offset_us":${Math.round(span.startedAtUs - call.startedAtUs)}`;
  row += `,"duration_us":${Math.round(span.durationUs)}`;
  row += `,"name":${formatValue(span.name)},"kind":"${span.kind}"`;
  if (span.dependency !== '') row += `,"dependency":${formatValue(span.dependency)}`;
  if (span.failed) row += ',"failed":1';
  if (span.errorType !== '') row += `,"error_type":${formatValue(span.errorType)}`;
  if (isNested) row += ',"is_nested":1';
  return `${row}}\n`;
}
