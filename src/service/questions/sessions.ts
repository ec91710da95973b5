// The list of sessions, and the panel of sessions over thirty invocations (`minCalls=31`). `sessions` is sorted by the
// identity and has a row per session and day, so counting whole sessions costs as much as there are sessions, not calls.
//
// Pages follow the sort key, so none shows a session twice; one that goes on while somebody is turning pages moves
// forward, to pages that were already read.

import { z } from 'zod';
import type { SessionsAnswer } from '../../contract/answers.ts';
import type { SessionsQuery } from '../../contract/query.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { encodeCursor, parseCursor } from './cursor.ts';
import { allOf, always, type Filters, type Where, whereFilters } from './filters.ts';
import { alignRange } from './grain.ts';
import { IS_LOOP } from './loops.ts';
import type { Asking, Resolved } from './ports.ts';
import { count } from './row-values.ts';
import { LOOPS_PER_SESSION, SESSION_COLUMNS, SessionColumns, toSessionRow } from './session-rows.ts';
import { IDENTITY, sessionsAsked } from './session-scope.ts';

const Key = z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)]);
type Key = z.infer<typeof Key>;

/** The sort key of each order; the hash makes it total. */
const ORDERS: Readonly<
  Record<SessionsQuery['order'], { readonly sql: string; readonly keyOf: (row: SessionColumns) => Key }>
> = {
  recent: { sql: 'ended_us, n', keyOf: (row) => [row.ended_us, row.n, row.identity_hash] },
  calls: { sql: 'n, ended_us', keyOf: (row) => [row.n, row.ended_us, row.identity_hash] },
};

const CountRow = z.object({ sessions: count, over_thirty: count });
export type SessionCounts = z.infer<typeof CountRow>;

/** One page of the sessions that had a request in the range. */
export async function answerSessions(
  query: Resolved<SessionsQuery>,
  asking: Asking,
): Promise<SessionsAnswer> {
  const { order, limit, cursor } = query;
  const place =
    cursor === undefined ? undefined : parseCursor(`sessions:${order}`, { text: cursor, key: Key });
  const range = place?.range ?? alignRange(query.range, asking);
  const asked = { filters: query, range, asking };
  const having = allOf(hasEnough(query.minCalls), isLooping(query.looping));
  const [rows, counts] = await Promise.all([
    readPage(asked, { having: allOf(having, isAfter(place?.after, order)), order, limit }),
    countSessions(asked, having),
  ]);
  const last = rows[limit - 1];
  return {
    range,
    sessions: rows.slice(0, limit).map(toSessionRow),
    total: counts.sessions,
    nextCursor:
      rows.length > limit && last
        ? encodeCursor(`sessions:${order}`, { range, after: ORDERS[order].keyOf(last) })
        : null,
  };
}

interface Asked {
  readonly filters: Filters;
  readonly range: TimeRange;
  readonly asking: Asking;
}

/** How many sessions had a request in the range, and how many of those have more than thirty calls in all. */
export async function countSessions(
  { filters, range, asking }: Asked,
  having: Where = always('1'),
): Promise<SessionCounts> {
  const where = allOf(whereFilters(filters, ['server']), sessionsAsked(range, { filters, reach: asking }));
  const [counts] = await asking.store.query({
    sql: `
    SELECT count() AS sessions, countIf(n > 30) AS over_thirty
    FROM (SELECT ${IDENTITY}, sum(calls) AS n FROM sessions WHERE ${where.sql} GROUP BY ${IDENTITY} HAVING ${having.sql})`,
    params: { ...where.params, ...having.params },
    row: CountRow,
  });
  return counts ?? { sessions: 0, over_thirty: 0 };
}

function readPage(
  { filters, range, asking }: Asked,
  page: { readonly having: Where; readonly order: SessionsQuery['order']; readonly limit: number },
): Promise<SessionColumns[]> {
  const where = allOf(whereFilters(filters, ['server']), sessionsAsked(range, { filters, reach: asking }));
  const key = ORDERS[page.order].sql.split(', ').map((column) => `${column} DESC`);
  return asking.store.query({
    sql: `
    SELECT *
    FROM (
      SELECT ${SESSION_COLUMNS}
      FROM sessions
      WHERE ${where.sql}
      GROUP BY ${IDENTITY}
      HAVING ${page.having.sql}
      ORDER BY ${key.join(', ')}, toUInt64(identity_hash) DESC
      LIMIT ${page.limit + 1}
    ) AS page
    LEFT JOIN (${LOOPS_PER_SESSION}) AS found USING (${IDENTITY})
    ORDER BY ${key.join(', ')}, toUInt64(identity_hash) DESC`,
    params: { ...where.params, ...page.having.params },
    row: SessionColumns,
  });
}

function hasEnough(minCalls: number): Where {
  return { sql: 'n >= {min_calls:UInt64}', params: { min_calls: minCalls } };
}

function isLooping(looping: SessionsQuery['looping']): Where {
  if (looping === undefined) return always('');
  return always(
    `(${IDENTITY}) ${looping === 'true' ? 'IN' : 'NOT IN'} (SELECT ${IDENTITY} FROM loops FINAL WHERE ${IS_LOOP})`,
  );
}

function isAfter(key: Key | undefined, order: SessionsQuery['order']): Where {
  if (!key) return always('');
  return {
    sql: `(${ORDERS[order].sql}, toUInt64(identity_hash)) < ({key_1:Int64}, {key_2:Int64}, {key_3:UInt64})`,
    params: { key_1: key[0], key_2: key[1], key_3: key[2] },
  };
}
