// The list of calls: the raw rows behind any number, newest first. `calls` is sorted by server and
// five-minute bucket and partitioned by day, so a short range or a single server reads little. Rows that
// arrive during pagination are newer than the remaining pages and shift nothing.

import type { z } from 'zod';
import type { CallsQuery, CallsResponse } from '../../../contract/calls.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import { closePage, openPage } from '../query/cursor.ts';
import { allOf, type Filters, rawSql, type Where, whereFilters, whereGiven } from '../query/filters.ts';
import { inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { CallKey, isBeyondCall, type KeyedCall, LISTED_CALLS, toCallKey, toCallRow } from './call-rows.ts';

const CALL_LIST = { kind: 'calls', key: CallKey };
const DAY_MS = 86_400_000;
/** Rare calls are searched for further back step by step; the last step covers the whole range. */
const LOOKBACK_DAYS = [1, 3, 9, Number.POSITIVE_INFINITY];

/** One page of calls. All request kinds and both sides are included unless filtered. */
export async function getCalls(
  query: ResolvedQuery<CallsQuery>,
  context: QueryContext,
): Promise<CallsResponse> {
  const { range, rows, nextCursor } = await readCallPage(query, LISTED_CALLS, context);
  return { range, calls: rows.map(toCallRow), nextCursor };
}

/**
 * One page of calls, newest first.
 *
 * @param selection what is selected FROM calls; includes the fields of the key
 */
export async function readCallPage<Row extends KeyedCall>(
  query: ResolvedQuery<CallsQuery>,
  { select, row }: { readonly select: string; readonly row: z.ZodType<Row> },
  context: QueryContext,
) {
  const { limit } = query;
  const { range, after } = openPage(CALL_LIST, query, context);
  const conditions = allOf(whereCalls(query), isBeyondCall(after, '<'));
  // Calls page: one or two partitions, since a page nearly always lies within one day.
  const read = (part: TimeRange) => {
    const { sql, params } = allOf(inRange('started_at', part), conditions);
    return context.store.query({
      sql: `
    SELECT ${select}
    FROM calls
    WHERE ${sql}
    ORDER BY started_at DESC, trace_id DESC, span_id DESC
    LIMIT ${limit + 1}`,
      params,
      row,
    });
  };
  const rows = await readNewest(read, { range, newestUs: after?.[0], limit });
  return { range, ...closePage(rows, { kind: CALL_LIST.kind, range, limit, keyOf: toCallKey }) };
}

interface PageBounds {
  readonly range: TimeRange;
  /** Start of the page in microseconds; undefined means the end of the range. */
  readonly newestUs: number | undefined;
  readonly limit: number;
}

/** Older days are read only if the page is not full. */
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

const containsSql = (column: string): string => `positionCaseInsensitiveUTF8(${column}, {q:String}) > 0`;
/** Names and codes are compared once per distinct value of a part; messages only where there are any. */
const SEARCH_SQL = `(${containsSql('tool_name')} OR ${containsSql('error_code')} OR (error_message != '' AND ${containsSql('error_message')}))`;

/** The filters of a calls query, except its range. */
export function whereCalls({ errors, counted, minMs, maxMs, q, ...filters }: CallsFilters): Where {
  const toUs = (ms: number | undefined) => (ms === undefined ? undefined : Math.round(ms * 1_000));
  return allOf(
    whereFilters('calls', filters),
    rawSql(errors === undefined ? '' : `fault ${errors === 'true' ? '!=' : '='} 'none'`),
    rawSql(counted ? COUNTED_CALLS : ''),
    whereGiven(SEARCH_SQL, { q }),
    whereGiven('duration_us >= {min_us:UInt64}', { min_us: toUs(minMs) }),
    whereGiven('duration_us <= {max_us:UInt64}', { max_us: toUs(maxMs) }),
  );
}

type CallsFilters = Filters & Pick<CallsQuery, 'errors' | 'counted' | 'minMs' | 'maxMs' | 'q'>;
