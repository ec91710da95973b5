// Session counts of a range by kind, and their histogram over numbers of calls: one pass over whole sessions
// for the sums, and one each for pauses and for sessions without calls.
//
// Serves the sessions page. `sessions` has parts per day, and every session of the range is counted.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import type { SessionCountsResponse, SessionsWithoutCalls } from '../../../contract/session-counts.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { alignRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { openSessionScope } from './open-session-scope.ts';
import { ALL_FAILED, ENDED_ON_ERROR, IS_LOOPING, pausedSessions, uncalledSessions } from './session-kinds.ts';
import { type SessionScope, wholeSessions } from './session-scope.ts';

/** Lowest number of calls of each histogram bar; one bar ends at thirty, the limit of a long session. */
const HISTOGRAM_STARTS = [0, 1, 2, 4, 8, 16, 31, 61, 121, 251, 501] as const;
/** Clients per server; a client that makes up a new name for every session would fill the page. */
const MAX_CLIENTS = 50;

const CountsRow = z.object({
  total: count,
  over_thirty: count,
  looping: count,
  all_failed: count,
  ended_on_error: count,
  one_call: count,
  uncalled: count,
  cut: count,
  bars: z.array(count),
});

const UncalledRow = z.object({
  server: z.string(),
  client: z.string(),
  sessions: count,
  connected: count,
  listed: count,
  booting: count,
  from_s: count,
  to_s: count,
  all_booting: count,
});

/** @throws UserError INVALID_PARAMETER when a filter needs calls that have expired */
export async function getSessionCounts(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<SessionCountsResponse> {
  const range = alignRange(query.range, context);
  const scope = await openSessionScope({ range, filters: query }, context);
  const [counts, paused, uncalled] = await Promise.all([
    readCounts(scope, context),
    countPaused(scope, context),
    readUncalled(scope, context),
  ]);
  return {
    range,
    total: counts?.total ?? 0,
    overThirty: counts?.over_thirty ?? 0,
    looping: counts?.looping ?? 0,
    allFailed: counts?.all_failed ?? 0,
    endedOnError: counts?.ended_on_error ?? 0,
    paused,
    oneCall: counts?.one_call ?? 0,
    uncalled: counts?.uncalled ?? 0,
    booting: uncalled[0]?.all_booting ?? 0,
    cut: counts?.cut ?? 0,
    callsPerSession: HISTOGRAM_STARTS.map((from, at) => ({
      from,
      to: (HISTOGRAM_STARTS[at + 1] ?? 0) - 1 < 0 ? null : (HISTOGRAM_STARTS[at + 1] ?? 0) - 1,
      sessions: counts?.bars[at] ?? 0,
    })),
    uncalledBy: uncalled.map(toUncalledSessions),
  };
}

async function readCounts(
  scope: SessionScope,
  { store }: QueryContext,
): Promise<z.infer<typeof CountsRow> | undefined> {
  const whole = wholeSessions(scope);
  const bars = HISTOGRAM_STARTS.map((from, at) => {
    const next = HISTOGRAM_STARTS[at + 1];
    return next === undefined ? `countIf(n >= ${from})` : `countIf(n >= ${from} AND n < ${next})`;
  });
  const [row] = await store.query({
    sql: `
    SELECT
      count() AS total,
      countIf(n > 30) AS over_thirty,
      countIf(${IS_LOOPING}) AS looping,
      countIf(${ALL_FAILED}) AS all_failed,
      countIf(${ENDED_ON_ERROR}) AS ended_on_error,
      countIf(n = 1) AS one_call,
      countIf(n = 0) AS uncalled,
      countIf(started_us < {from_ms:Int64} * 1000 OR ended_us >= {to_ms:Int64} * 1000) AS cut,
      [${bars.join(', ')}] AS bars
    FROM (${whole.sql})`,
    params: { ...whole.params, from_ms: scope.range.fromMs, to_ms: scope.range.toMs },
    row: CountsRow,
  });
  return row;
}

function countPaused(scope: SessionScope, { store }: QueryContext): Promise<number> {
  const { sql, params } = pausedSessions(scope);
  return queryNumber(store, { sql: `SELECT count() AS n FROM (${sql})`, params });
}

function readUncalled(scope: SessionScope, { store }: QueryContext): Promise<z.infer<typeof UncalledRow>[]> {
  const { sql, params } = uncalledSessions(scope);
  return store.query({
    sql: `
    SELECT
      server, client, count() AS sessions, countIf(is_connected) AS connected, countIf(is_listed) AS listed,
      countIf(is_booting) AS booting, minIf(began_s, is_booting) AS from_s, maxIf(began_s, is_booting) AS to_s,
      sum(booting) OVER () AS all_booting
    FROM (${sql})
    GROUP BY server, client
    ORDER BY sessions DESC, server, client
    LIMIT ${MAX_CLIENTS}`,
    params,
    row: UncalledRow,
  });
}

function toUncalledSessions(row: z.infer<typeof UncalledRow>): SessionsWithoutCalls {
  const { server, client, sessions, connected, listed, booting, from_s, to_s } = row;
  const times =
    booting > 0 ? { bootingFrom: formatIso(from_s * 1e6), bootingTo: formatIso(to_s * 1e6) } : undefined;
  return {
    server,
    client,
    sessions,
    connected,
    listedTools: listed,
    booting,
    ...(times ?? { bootingFrom: null, bootingTo: null }),
  };
}
