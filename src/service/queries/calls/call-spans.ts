// The spans below one call as a tree. `child_spans` is sorted by server, tool, hour and call, so the names and the start of
// the call, which every list of calls has, find it without a look at `calls`.

import { z } from 'zod';
import type { CallSpan, CallSpansQuery, CallSpansResponse } from '../../../contract/child-spans.ts';
import { parseTime } from '../../../contract/time-range.ts';
import { CHILD_SPAN_KINDS, MAX_SPANS_PER_CALL } from '../../../core/model/child-span.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { UserError } from '../../../errors.ts';
import { count } from '../../store/row-codec.ts';
import type { QueryContext } from '../query/query-context.ts';

const Row = z.object({
  child_id: count,
  parent_id: count,
  offset_us: z.coerce.number().int(),
  duration: count,
  name: z.string(),
  kind: z.enum(CHILD_SPAN_KINDS),
  dependency: z.string(),
  is_failed: z.coerce.number(),
  error_type: z.string(),
});
type Row = z.infer<typeof Row>;

const CALL_ID = /^([0-9a-f]{32})\.([0-9a-f]{16})$/;

/**
 * The spans of a call, at most 64.
 *
 * @param id trace id and span id with a dot between them
 * @throws UserError INVALID_PARAMETER for any other id
 */
export async function getCallSpans(
  id: string,
  { server, tool = '', at }: CallSpansQuery,
  { store, nowMs }: QueryContext,
): Promise<CallSpansResponse> {
  const [, trace, span] = CALL_ID.exec(id) ?? [];
  if (trace === undefined || span === undefined)
    throw new UserError('INVALID_PARAMETER', 'The id of a call is its trace id, a dot and its span id.', {
      field: 'id',
    });
  const rows = await store.query({
    sql: CALL_SPANS_SQL,
    params: { server, tool, trace, span, at_ms: parseTime(at, nowMs) ?? 0 },
    row: Row,
  });
  return { spans: toTree(rows), isLimited: rows.length >= MAX_SPANS_PER_CALL };
}

const CALL_SPANS_SQL = `
    SELECT
      child_id, parent_id, offset_us,
      duration_us AS duration,
      name,
      toString(kind) AS kind,
      toString(dependency) AS dependency,
      failed AS is_failed,
      toString(error_type) AS error_type
    FROM child_spans
    WHERE server_name = {server:String} AND tool_name = {tool:String}
      AND toStartOfHour(started_at) = toStartOfHour(fromUnixTimestamp64Milli({at_ms:Int64}, 'UTC'))
      AND span_id = {span:String} AND trace_id = {trace:String}
    LIMIT 1 BY child_id`;

/** Each span after the one it is in; one whose parent was not kept is below the call. */
function toTree(rows: readonly Row[]): CallSpan[] {
  const ids = new Set(rows.map(({ child_id }) => child_id));
  const children = groupBy(rows, ({ parent_id }) => (ids.has(parent_id) ? parent_id : 0));
  const spans: CallSpan[] = [];
  const pending = byStartDescending(children.get(0)).map((row) => ({ row, depth: 0 }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { row, depth } = next;
    spans.push(toCallSpan(row, { depth, isTop: !ids.has(row.parent_id) }));
    for (const child of byStartDescending(children.get(row.child_id)))
      pending.push({ row: child, depth: depth + 1 });
  }
  return spans;
}

/** The last one is taken first. */
const byStartDescending = (rows: readonly Row[] = []): Row[] =>
  rows.toSorted((one, other) => other.offset_us - one.offset_us || other.child_id - one.child_id);

function toCallSpan(
  row: Row,
  { depth, isTop }: { readonly depth: number; readonly isTop: boolean },
): CallSpan {
  return {
    id: toHex(row.child_id),
    parentId: isTop ? '' : toHex(row.parent_id),
    depth,
    name: row.name,
    kind: row.kind,
    dependency: row.dependency,
    offsetMs: row.offset_us / 1_000,
    durationMs: row.duration / 1_000,
    failed: row.is_failed !== 0,
    errorType: row.error_type,
  };
}

const toHex = (id: number): string => id.toString(16).padStart(8, '0');
