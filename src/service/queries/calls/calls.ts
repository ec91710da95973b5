// The list of calls: the raw rows behind any number, newest first. `calls` is sorted by server and
// five-minute bucket and partitioned by day, so a short range or a single server reads little. Rows that
// arrive during pagination are newer than the remaining pages and shift nothing.

import type { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CallsQuery } from '../../../contract/query.ts';
import type { CallsResponse } from '../../../contract/responses.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import { encodeCursor, parseCursor } from '../query/cursor.ts';
import { allOf, type Filters, rawSql, type Where, whereFilters } from '../query/filters.ts';
import { alignRange, inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { CALL_COLUMNS, CallColumns, CallKey, isBeyondCall, toCallCursorKey, toCallRow } from './call-rows.ts';

const DAY_MS = 86_400_000;
/** Rare calls are searched for further back step by step; the last step covers the whole range. */
const LOOKBACK_DAYS = [1, 3, 9, Number.POSITIVE_INFINITY];

/** One page of calls. All request kinds and both sides are included unless filtered. */
export async function getCalls(
  query: ResolvedQuery<CallsQuery>,
  context: QueryContext,
): Promise<CallsResponse> {
  const { range, rows, nextCursor } = await readCallPage(query, {
    context,
    columns: CALL_COLUMNS,
    row: CallColumns,
  });
  return { range, calls: rows.map(toCallRow), nextCursor };
}

interface CallPageOptions<Row> {
  readonly context: QueryContext;
  /** Columns selected FROM calls; includes those of the key. */
  readonly columns: string;
  readonly row: z.ZodType<Row>;
}

/** The rows of one page, newest first, and the start of the next one. */
export async function readCallPage<Row extends CallColumns>(
  query: ResolvedQuery<CallsQuery>,
  { context, columns, row }: CallPageOptions<Row>,
): Promise<{ readonly range: TimeRange; readonly rows: Row[]; readonly nextCursor: string | null }> {
  const { limit, cursor } = query;
  const position = cursor === undefined ? undefined : parseCursor('calls', { text: cursor, key: CallKey });
  const range = position?.range ?? alignRange(query.range, context);
  const conditions = allOf(whereCalls(query), position ? isBeyondCall(position.after, '<') : rawSql(''));
  const read = (part: TimeRange) => {
    const where = allOf(inRange('started_at', part), conditions);
    return context.store.query({ sql: callsSql(columns, { where, limit }), params: where.params, row });
  };
  const rows = await readNewest(read, { range, newestUs: position?.after[0], limit });
  const last = rows[limit - 1];
  return {
    range,
    rows: rows.slice(0, limit),
    nextCursor:
      rows.length > limit && last ? encodeCursor('calls', { range, after: toCallCursorKey(last) }) : null,
  };
}

interface PageBounds {
  readonly range: TimeRange;
  /** Start of the page in microseconds; undefined means the end of the range. */
  readonly newestUs: number | undefined;
  readonly limit: number;
}

/**
 * A page nearly always lies within one day, in one or two partitions; older ones are read only if it is not
 * full.
 */
async function readNewest<Row>(
  read: (part: TimeRange) => Promise<Row[]>,
  { range, newestUs, limit }: PageBounds,
): Promise<Row[]> {
  const endMs = newestUs === undefined ? range.toMs : Math.min(range.toMs, Math.floor(newestUs / 1_000) + 1);
  const rows: Row[] = [];
  let readFromMs = endMs;
  for (const days of LOOKBACK_DAYS) {
    const fromMs = Math.max(range.fromMs, endMs - days * DAY_MS);
    if (rows.length > limit || fromMs >= readFromMs) break;
    rows.push(...(await read({ fromMs, toMs: readFromMs })));
    readFromMs = fromMs;
  }
  return rows;
}

function callsSql(
  columns: string,
  { where, limit }: { readonly where: Where; readonly limit: number },
): string {
  return `
    SELECT ${columns}
    FROM calls
    WHERE ${where.sql}
    ORDER BY started_at DESC, trace_id DESC, span_id DESC
    LIMIT ${limit + 1}`;
}

/** The filters of a calls query, except its range. */
export function whereCalls({ errors, counted, minMs, maxMs, ...filters }: CallsFilters): Where {
  return allOf(
    whereFilters(filters),
    rawSql(errors === undefined ? '' : `fault ${errors === 'true' ? '!=' : '='} 'none'`),
    rawSql(counted ? COUNTED_CALLS : ''),
    whereDuration('>=', { name: 'min_us', ms: minMs }),
    whereDuration('<=', { name: 'max_us', ms: maxMs }),
  );
}

type CallsFilters = Filters & Pick<CallsQuery, 'errors' | 'counted' | 'minMs' | 'maxMs'>;

function whereDuration(
  side: '>=' | '<=',
  { name, ms }: { readonly name: string; readonly ms: number | undefined },
): Where {
  if (ms === undefined) return rawSql('');
  return { sql: `duration_us ${side} {${name}:UInt64}`, params: { [name]: Math.round(ms * 1_000) } };
}
