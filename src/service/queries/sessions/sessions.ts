// The list of sessions, and the panel of sessions with more than thirty calls (`minCalls=31`). `sessions` is
// sorted by identity with one row per session and day, so the cost of counting depends on sessions, not
// calls. A page is selected by numbers alone; names are read only for its sessions, in the days they were
// active.
//
// Pages follow the sort key, so no session appears twice; a session that is active during pagination moves to
// earlier pages.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { SessionsQuery, SessionsResponse } from '../../../contract/sessions.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import { closePage, openPage } from '../query/cursor.ts';
import { allOf, type Filters, type Where, whereGiven } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { IDENTITY } from '../query/session-identity.ts';
import { openSessionScope } from './open-session-scope.ts';
import { whereSessions } from './session-kinds.ts';
import { LOOPS_PER_SESSION, SESSION_COLUMNS, SessionColumns, toSessionRow } from './session-rows.ts';
import { type SessionScope, wholeSessions } from './session-scope.ts';
import { MAX_TOPS, readTopSessions } from './top-sessions.ts';

const Key = z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)]);
type Key = z.infer<typeof Key>;

/** The sort key of each order, on the columns of `wholeSessions`; the hash makes it total. */
const ORDERS: Readonly<Record<SessionsQuery['order'], readonly [string, string]>> = {
  recent: ['ended_us', 'n'],
  calls: ['n', 'ended_us'],
  errors: ['failed', 'ended_us'],
  duration: ['ended_us - started_us', 'ended_us'],
};

/** Position of a session in the list, without its names. */
const SessionPosition = z.object({
  hash: z.string(),
  key_1: count,
  key_2: count,
  started_us: count,
  ended_us: count,
});
type SessionPosition = z.infer<typeof SessionPosition>;

interface SessionTotals {
  readonly sessions: number;
  readonly over_thirty: number;
}

/** One page of the sessions that had a request in the range. */
export async function getSessions(
  query: ResolvedQuery<SessionsQuery>,
  context: QueryContext,
): Promise<SessionsResponse> {
  const { order, limit } = query;
  const kind = `sessions:${order}`;
  const { range, after } = openPage({ kind, key: Key }, query, context);
  const scope = await openSessionScope({ filters: query, range }, context);
  const having = whereSessions(query, scope);
  const [positions, counts] = await Promise.all([
    (await readTopPositions(query, scope, context)) ??
      readPositions(
        wholeSessions(scope, allOf(having, isAfterCursor(after, order))),
        { order, limit },
        context,
      ),
    countMatching(query, { scope, having }, context),
  ]);
  const keyOf = ({ key_1, key_2, hash }: SessionPosition) => [key_1, key_2, hash] as const;
  const { rows, nextCursor } = closePage(positions, { kind, range, limit, keyOf });
  return {
    range,
    sessions: (await readSessionRows(rows, context)).map(toSessionRow),
    total: counts,
    nextCursor,
  };
}

type Query = ResolvedQuery<SessionsQuery>;

/** Whether the list is filtered by its number of calls only. */
function isFilteredByCallsOnly({ maxCalls, failed, ended, looping, paused, booting }: Query): boolean {
  return [maxCalls, failed, ended, looping, paused, booting].every((kind) => kind === undefined);
}

/**
 * The long-sessions panel, from the statement the other overview panels use. Undefined for any other page.
 */
async function readTopPositions(
  query: Query,
  scope: SessionScope,
  context: QueryContext,
): Promise<SessionPosition[] | undefined> {
  const { minCalls, order, limit, cursor } = query;
  const isPanel = minCalls === MIN_LONG_SESSION_CALLS && order === 'calls' && cursor === undefined;
  if (!isPanel || limit >= MAX_TOPS || !isFilteredByCallsOnly(query)) return undefined;
  const { tops } = await readTopSessions(scope, context);
  return tops.over_thirty.slice(0, limit + 1).map(({ hash, calls, startedUs, endedUs }) => ({
    hash,
    key_1: calls,
    key_2: endedUs,
    started_us: startedUs,
    ended_us: endedUs,
  }));
}

/**
 * Number of sessions on all pages; for the long-sessions panel, from the statement that also counts the
 * tiles.
 */
async function countMatching(
  query: Query,
  { scope, having }: { readonly scope: SessionScope; readonly having: Where },
  context: QueryContext,
): Promise<number> {
  if (isFilteredByCallsOnly(query) && query.minCalls === 0)
    return (await readTopSessions(scope, context)).sessions;
  if (isFilteredByCallsOnly(query) && query.minCalls === MIN_LONG_SESSION_CALLS)
    return (await readTopSessions(scope, context)).counts.over_thirty;
  const whole = wholeSessions(scope, having);
  return queryNumber(context.store, {
    sql: `SELECT count() AS n FROM (${whole.sql})`,
    params: whole.params,
  });
}

const MIN_LONG_SESSION_CALLS = 31;

/**
 * Number of sessions with a request in the range, and how many of them have more than thirty calls in total.
 */
export async function countSessions(
  selection: { readonly filters: Filters; readonly range: TimeRange },
  context: QueryContext,
): Promise<SessionTotals> {
  const { sessions, counts } = await readTopSessions(await openSessionScope(selection, context), context);
  return { sessions, over_thirty: counts.over_thirty };
}

function readPositions(
  whole: Where,
  { order, limit }: Pick<SessionsQuery, 'order' | 'limit'>,
  { store }: QueryContext,
): Promise<SessionPosition[]> {
  const [first, second] = ORDERS[order];
  return store.query({
    sql: `
    SELECT toString(identity_hash) AS hash, ${first} AS key_1, ${second} AS key_2, started_us, ended_us
    FROM (${whole.sql})
    ORDER BY key_1 DESC, key_2 DESC, identity_hash DESC
    LIMIT ${limit + 1}`,
    params: whole.params,
    row: SessionPosition,
  });
}

/** The sessions of a page, in the order of their positions. */
async function readSessionRows(
  positions: readonly SessionPosition[],
  { store }: QueryContext,
): Promise<SessionColumns[]> {
  if (positions.length === 0) return [];
  const rows = await store.query({
    sql: `
    SELECT *
    FROM (
      SELECT ${SESSION_COLUMNS}
      FROM sessions
      WHERE day >= toDate(fromUnixTimestamp64Micro({first_us:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Micro({last_us:Int64}, 'UTC'))
        AND sessions.identity_hash IN {hashes:Array(UInt64)}
      GROUP BY ${IDENTITY}
    ) AS page
    LEFT JOIN (${LOOPS_PER_SESSION}) AS found USING (${IDENTITY})`,
    params: {
      first_us: Math.min(...positions.map(({ started_us }) => started_us)),
      last_us: Math.max(...positions.map(({ ended_us }) => ended_us)),
      // As numbers: the engine accepts no quotes in a list of numbers.
      hashes: positions.map(({ hash }) => BigInt(hash)),
    },
    row: SessionColumns,
  });
  const byHash = new Map(rows.map((row) => [row.identity_hash, row]));
  // A session that was purged in the meantime is left out.
  return positions.flatMap(({ hash }) => byHash.get(hash) ?? []);
}

const isAfterCursor = (key: Key | undefined, order: SessionsQuery['order']): Where | undefined =>
  whereGiven(
    `(${ORDERS[order].join(', ')}, identity_hash) < ({key_1:Int64}, {key_2:Int64}, {key_3:UInt64})`,
    {
      key_1: key?.[0],
      key_2: key?.[1],
      key_3: key?.[2],
    },
  );
