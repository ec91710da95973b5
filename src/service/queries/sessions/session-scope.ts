// The sessions of a query: those with a request in the range that passes the filters, and that never called a tool
// that the filters exclude. Session stats cover the
// whole session, so this is a condition on one of the session's rows and never on the counted rows.
//
// `sessions` has rows per session and day, with a first start and a last end. A session that starts in the
// range matches; one that began earlier on the range's first day may or may not, and only the single calls of
// that day decide.

import { toFilterChoice, toFilterValue } from '../../../contract/filter-value.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { compareElements, whereFilter } from '../query/filter-condition.ts';
import {
  allOf,
  type FilterName,
  type Filters,
  listActiveFilters,
  rawSql,
  type Where,
  whereFilters,
} from '../query/filters.ts';
import { hasCalls, inRange, type RetentionBounds, requireKept } from '../query/grain.ts';
import { IDENTITY_HASH } from '../query/session-identity.ts';

const DAY_MS = 86_400_000;
/**
 * Up to this length, and for ranges far in the past, it is faster to find the sessions in the days of the
 * range first; otherwise nearly all are aggregated anyway.
 */
const MAX_SHORT_RANGE_MS = 8 * DAY_MS;
const ROW_FILTERS: readonly FilterName[] = ['server', 'environment'];
/** The filters that every row of a session decides. */
const whereRow = ({ server, environment }: Filters) => whereFilters('sessions', { server, environment });
/** The name-set columns of a session row by filter; a set that reached this size may be incomplete. */
const NAME_SET_COLUMNS = { client: 'clients', version: 'versions' } as const;
const MAX_SET_SIZE = 20;
const FROM = `fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')`;
const TO = `fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`;
/** Implied by the time conditions, but skips whole partitions. */
const ON_RANGE_DAYS = `day >= toDate(${FROM}) AND day <= toDate(${TO})`;
const NO_CONDITION = rawSql('');
const IN_A_SESSION = rawSql(`side = 'server' AND session_id != ''`);

/** What a session query depends on; see `openSessionScope`. */
export interface SessionScope {
  readonly range: TimeRange;
  readonly filters: Filters;
  readonly retention: RetentionBounds;
  /**
   * Hashes of the sessions that began earlier on the first day of the range and had a request in it; undefined if they
   * are part of the condition, because they are too many for a list or are not needed.
   */
  readonly goingOn: readonly bigint[] | undefined;
}

/** Whether the days of the sessions decide together with `goingOn`. */
export function needsGoingOn({ range, filters, retention }: Omit<SessionScope, 'goingOn'>): boolean {
  return hasCalls(range, retention) && chooseMembershipSource(range, filters, retention) === 'days';
}

/**
 * Subquery for every whole session in scope: its hash, `n` calls, `failed` of them, `started_us` and
 * `ended_us`, `last_call` as in `sessions`, and whether it ever `connected`.
 *
 * @param scope.range aligned
 * @param having on those columns
 * @throws UserError INVALID_PARAMETER when a filter needs calls that have expired
 */
export function wholeSessions(scope: SessionScope, having: Where = rawSql('1')): Where {
  const { inRow, inSession } = toMembershipConditions(scope);
  const where = allOf(whereFilters('sessions', { server: scope.filters.server }), inSession);
  return {
    sql: `
      SELECT
        identity_hash,
        sum(calls) AS n,
        sum(errors) AS failed,
        toUnixTimestamp64Micro(min(started_at)) AS started_us,
        toUnixTimestamp64Micro(max(ended_at)) AS ended_us,
        max(last_call) AS last,
        max(connected) AS has_connected
      FROM sessions
      WHERE ${where.sql}
      GROUP BY identity_hash
      HAVING ${inRow.sql === '' ? '' : `max(${inRow.sql}) AND `}${having.sql}`,
    params: { ...where.params, ...inRow.params, ...having.params },
  };
}

/** Two conditions, one of which is empty: on at least one row of a session, or on all of its rows. */
function toMembershipConditions(scope: SessionScope): { readonly inRow: Where; readonly inSession: Where } {
  const matching = matchesScope(scope);
  const { range, filters, retention } = scope;
  const source = chooseMembershipSource(range, filters, retention);
  if (source === 'calls') return { inRow: NO_CONDITION, inSession: matching };
  const isMost = range.toMs - range.fromMs > MAX_SHORT_RANGE_MS && range.toMs >= retention.nowMs - DAY_MS;
  if (source === 'days' && isMost) return { inRow: matching, inSession: NO_CONDITION };
  const among = `identity_hash IN (SELECT identity_hash FROM sessions WHERE ${matching.sql})`;
  return { inRow: NO_CONDITION, inSession: { sql: among, params: matching.params } };
}

/**
 * Condition on a row of `sessions`, true for at least one row of each session in scope.
 *
 * @throws UserError INVALID_PARAMETER when a filter needs calls that have expired
 */
export function matchesScope({ filters, ...scope }: SessionScope): Where {
  return allOf(matchesRequest({ ...scope, filters: omitExcludedTools(filters) }), neverCalledTools(filters));
}

/** A request is of one tool: that one of them is of another says nothing about the tools a session never called. */
function omitExcludedTools(filters: Filters): Filters {
  const { only } = toFilterChoice(filters.tool);
  return { ...filters, tool: toFilterValue({ only, except: [] }) };
}

/** A set of tools of a session's day that reached this size may be incomplete; only the calls know the others. */
const MAX_TOOL_SET_SIZE = 100;

/** Sessions that never called an excluded tool, whether in the range or not. */
function neverCalledTools(filters: Filters): Where | undefined {
  const { except } = toFilterChoice(filters.tool);
  if (except.length === 0) return undefined;
  const rows = whereFilters('sessions', { server: filters.server });
  const ofServer = rows.sql === '' ? '' : ` AND ${rows.sql}`;
  return {
    sql: `identity_hash NOT IN (
        SELECT identity_hash FROM sessions WHERE hasAny(tools, {never_tools:Array(String)})${ofServer}
        UNION ALL
        SELECT ${IDENTITY_HASH} FROM calls
        WHERE ${IN_A_SESSION.sql} AND tool_name IN {never_tools:Array(String)}${ofServer}
          AND session_id IN (SELECT session_id FROM sessions WHERE length(tools) >= ${MAX_TOOL_SET_SIZE}${ofServer})
      )`,
    params: { ...rows.params, never_tools: except },
  };
}

/** True for the sessions with a request in the range that passes the filters. */
function matchesRequest({ range, filters, retention, goingOn }: SessionScope): Where {
  requireKept(range, filters, retention);
  switch (chooseMembershipSource(range, filters, retention)) {
    case 'calls':
      return isAmongCalls(matchesCalls(range, filters));
    case 'names':
      return matchesNames(range, filters);
    case 'days':
      return allOf(
        matchesDays(range, hasCalls(range, retention) ? toGoingOn(range, goingOn) : NO_CONDITION),
        whereRow(filters),
        hasTool(filters),
      );
  }
}

/** The source that decides membership: single calls, the names of a session's day, or the day alone. */
function chooseMembershipSource(
  range: TimeRange,
  filters: Filters,
  retention: RetentionBounds,
): 'calls' | 'names' | 'days' {
  const active = listActiveFilters(omitExcludedTools(filters)).filter((name) => !ROW_FILTERS.includes(name));
  if (active.length === 0 || !hasCalls(range, retention)) return 'days';
  const isInNames = (name: FilterName): boolean =>
    name in NAME_SET_COLUMNS && toFilterChoice(filters[name]).except.length === 0;
  return active.every(isInNames) ? 'names' : 'calls';
}

/**
 * A row decides by itself if all of its calls have the names, or if all of its calls are in the range and one
 * has them; the remaining sessions, such as those active when the range began, are looked up in `calls`.
 */
function matchesNames(range: TimeRange, filters: Filters): Where {
  const { sql: calls, params } = matchesCalls(range, filters);
  const nameFilters = listActiveFilters(filters).flatMap((name) => {
    const column = new Map<string, string>(Object.entries(NAME_SET_COLUMNS)).get(name);
    if (column === undefined) return [];
    return [{ column, has: whereFilter(name, filters[name], compareElements(column)).sql }];
  });
  const has = nameFilters.map((one) => one.has);
  const may = nameFilters.map((one) => `(${one.has} OR length(${one.column}) >= ${MAX_SET_SIZE})`);
  const ones = nameFilters.map(({ column }) => `length(${column}) = 1`);
  const some = nameFilters.length === 1 ? '1' : `(${ones.join(' OR ')})`;
  const possible = allOf(
    rawSql(`${ON_RANGE_DAYS} AND started_at < ${TO} AND ended_at >= ${FROM}`),
    whereRow(filters),
    rawSql(may.join(' AND ')),
  );
  const sure = `(started_at >= ${FROM} AND ${has.join(' AND ')} AND ((${ones.join(' AND ')}) OR (ended_at < ${TO} AND ${some})))`;
  const unsure = `FROM sessions WHERE ${possible.sql} AND NOT ${sure}`;
  const among = isAmongCalls(limitToSessions({ sql: calls, params }, unsure));
  return { sql: `(${possible.sql} AND (${sure} OR ${among.sql}))`, params };
}

/** Limits calls to the given rows of `sessions`: their last end excludes most or all calls from the read. */
function limitToSessions({ sql, params }: Where, fromRows: string): Where {
  return {
    sql: `${sql} AND started_at <= (SELECT max(ended_at) ${fromRows}) AND session_id IN (SELECT session_id ${fromRows})`,
    params,
  };
}

function matchesCalls(range: TimeRange, filters: Filters): Where {
  return allOf(inRange('started_at', range), IN_A_SESSION, whereFilters('calls', filters));
}

function isAmongCalls({ sql, params }: Where): Where {
  return { sql: `identity_hash IN (SELECT ${IDENTITY_HASH} FROM calls WHERE ${sql})`, params };
}

/** Row of a session that was active when the range began. */
export const IS_CUT = `day = toDate(${FROM}) AND started_at < ${FROM} AND ended_at >= ${FROM}`;

/** @param goingOn on a session that was active when the range began; without one, all of them count as in the range */
function matchesDays(range: TimeRange, goingOn: Where): Where {
  const { sql, params } = inRange('started_at', range);
  const cut = allOf(rawSql(IS_CUT), goingOn);
  return {
    sql: `(${ON_RANGE_DAYS} AND ((${sql}) OR (${cut.sql})))`,
    params: { ...params, ...cut.params },
  };
}

function toGoingOn(range: TimeRange, goingOn: SessionScope['goingOn']): Where {
  if (goingOn === undefined) return isAmongCalls(callsOfCutSessions(range));
  if (goingOn.length === 0) return rawSql('0');
  return { sql: 'identity_hash IN {going_on:Array(UInt64)}', params: { going_on: goingOn } };
}

/** Condition on requests in the first day of the range, of the sessions that were active when it began. */
export function callsOfCutSessions(range: TimeRange): Where {
  return limitToSessions(onFirstDay(range), `FROM sessions WHERE ${IS_CUT}`);
}

function onFirstDay({ fromMs, toMs }: TimeRange): Where {
  const midnight = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS;
  const { sql } = inRange('started_at', { fromMs, toMs });
  return allOf(
    {
      sql: sql.replace('{to_ms:Int64}', '{first_day_end_ms:Int64}'),
      params: { from_ms: fromMs, first_day_end_ms: Math.min(toMs, midnight) },
    },
    IN_A_SESSION,
  );
}

/**
 * Used only for ranges whose calls have expired: the tools of a session's day stand in for those of its
 * calls.
 */
function hasTool({ tool }: Filters): Where {
  return allOf(whereFilter('tool', tool, compareElements('tools')));
}
