// Which sessions a question is about: those with a request in the range that passes the filters. What is then said of
// a session is said of all of it, so this is a condition on one of a session's rows and never on the rows that are counted.
//
// `sessions` has rows per session and day, with a first start and a last end. One that starts in the range is in; one
// that began earlier on the range's first day may or may not be, and only the single calls of that day can tell.

import type { TimeRange } from '../../../contract/time-range.ts';
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

/** Who a session is: strangers are never merged. */
export const IDENTITY = 'server_name, session_source, session_id';

/**
 * 64 bits that stand for it where sessions are only counted or put in order: ten times faster than the three texts over half
 * a million sessions, of which two are alike once in a hundred million times. `sessions` keeps it as `identity_hash`.
 */
export const IDENTITY_HASH = `cityHash64(${IDENTITY})`;

const DAY_MS = 86_400_000;
/**
 * Up to here, and for a time long ago, it is quicker to find who was there in the days of the range first; else nearly all
 * are put together anyway.
 */
const MAX_SHORT_RANGE_MS = 8 * DAY_MS;
const ROLLUP_FILTERS: readonly FilterName[] = ['server', 'environment'];
/** The sets of names that a session's row has, by the filter that asks for one; so many names fill a set, and it may lack some. */
const NAME_SET_COLUMNS = { client: 'clients', version: 'versions' } as const;
const MAX_SET_SIZE = 20;
const FROM = `fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')`;
const TO = `fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`;
/** Says no more than the conditions on times, but leaves whole partitions unread. */
const ON_RANGE_DAYS = `day >= toDate(${FROM}) AND day <= toDate(${TO})`;
const NO_CONDITION = rawSql('');
const IN_A_SESSION = rawSql(`side = 'server' AND session_id != ''`);

/** What a question about sessions depends on. */
export interface SessionScope {
  readonly range: TimeRange;
  readonly filters: Filters;
  readonly retention: RetentionBounds;
}

/**
 * Every whole session that is asked about, as the text of a subquery: its hash, `n` calls, `failed` of them, `started_us` and
 * `ended_us`, `last_call` as `sessions` has it, and whether it ever `connected`.
 *
 * @param scope.range aligned
 * @param having on those columns
 * @throws UserError INVALID_PARAMETER when a filter needs calls that are no longer kept
 */
export function wholeSessions(scope: SessionScope, having: Where = rawSql('1')): Where {
  const { inRow, inSession } = toMembershipConditions(scope);
  const where = allOf(whereFilters(scope.filters, ['server']), inSession);
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

/** Two conditions, of which one is empty: on one row at least of a session, or on all of its rows at once. */
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
 * The condition on a row of `sessions`, true for one at least of each session asked about.
 *
 * @throws UserError INVALID_PARAMETER when a filter needs calls that are no longer kept
 */
export function matchesScope({ range, filters, retention }: SessionScope): Where {
  requireKept(range, filters, retention);
  switch (chooseMembershipSource(range, filters, retention)) {
    case 'calls':
      return isAmongCalls(matchesCalls(range, filters));
    case 'names':
      return matchesNames(range, filters);
    case 'days':
      return allOf(
        matchesDays(range, hasCalls(range, retention)),
        whereFilters(filters, ROLLUP_FILTERS),
        hasTool(filters),
      );
  }
}

/** What tells which sessions are meant: the single calls, the names of a session's day, or its day alone. */
function chooseMembershipSource(
  range: TimeRange,
  filters: Filters,
  retention: RetentionBounds,
): 'calls' | 'names' | 'days' {
  const active = listActiveFilters(filters).filter((name) => !ROLLUP_FILTERS.includes(name));
  if (active.length === 0 || !hasCalls(range, retention)) return 'days';
  return active.every((name) => name in NAME_SET_COLUMNS) ? 'names' : 'calls';
}

/**
 * A row tells by itself where all of its calls have the names, or all of its calls lie in the range and one has them; what is
 * left, as sessions that were going on when the range began, is looked up among the calls.
 */
function matchesNames(range: TimeRange, filters: Filters): Where {
  const { sql: calls, params } = matchesCalls(range, filters);
  const nameFilters = Object.entries(NAME_SET_COLUMNS).flatMap(([name, column]) =>
    listActiveFilters(filters).some((one) => one === name) ? [{ name, column }] : [],
  );
  const may = nameFilters.map(
    ({ name, column }) => `(has(${column}, {${name}:String}) OR length(${column}) >= ${MAX_SET_SIZE})`,
  );
  const has = nameFilters.map(({ name, column }) => `has(${column}, {${name}:String})`);
  const ones = nameFilters.map(({ column }) => `length(${column}) = 1`);
  const some = nameFilters.length === 1 ? '1' : `(${ones.join(' OR ')})`;
  const possible = allOf(
    rawSql(`${ON_RANGE_DAYS} AND started_at < ${TO} AND ended_at >= ${FROM}`),
    whereFilters(filters, ROLLUP_FILTERS),
    rawSql(may.join(' AND ')),
  );
  const sure = `(started_at >= ${FROM} AND ${has.join(' AND ')} AND ((${ones.join(' AND ')}) OR (ended_at < ${TO} AND ${some})))`;
  const unsure = `FROM sessions WHERE ${possible.sql} AND NOT ${sure}`;
  const among = isAmongCalls(limitToSessions({ sql: calls, params }, unsure));
  return { sql: `(${possible.sql} AND (${sure} OR ${among.sql}))`, params };
}

/** Calls of some rows of `sessions` alone: the last end of those leaves most of the calls unread, or all of them. */
function limitToSessions({ sql, params }: Where, fromRows: string): Where {
  return {
    sql: `${sql} AND started_at <= (SELECT max(ended_at) ${fromRows}) AND session_id IN (SELECT session_id ${fromRows})`,
    params,
  };
}

function matchesCalls(range: TimeRange, filters: Filters): Where {
  return allOf(inRange('started_at', range), IN_A_SESSION, whereFilters(filters));
}

function isAmongCalls({ sql, params }: Where): Where {
  return { sql: `identity_hash IN (SELECT ${IDENTITY_HASH} FROM calls WHERE ${sql})`, params };
}

/** Once the calls are gone, a session that was going on when the range began counts as being in it. */
function matchesDays(range: TimeRange, kept: boolean): Where {
  const { sql, params } = inRange('started_at', range);
  const cut = rawSql(`day = toDate(${FROM}) AND started_at < ${FROM} AND ended_at >= ${FROM}`);
  const calls = limitToSessions(allOf(onFirstDay(range), IN_A_SESSION), `FROM sessions WHERE ${cut.sql}`);
  const goingOn = allOf(cut, kept ? isAmongCalls(calls) : NO_CONDITION);
  return {
    sql: `(${ON_RANGE_DAYS} AND ((${sql}) OR (${goingOn.sql})))`,
    params: { ...params, ...goingOn.params },
  };
}

function onFirstDay({ fromMs, toMs }: TimeRange): Where {
  const midnight = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS;
  const { sql } = inRange('started_at', { fromMs, toMs });
  return {
    sql: sql.replace('{to_ms:Int64}', '{first_day_end_ms:Int64}'),
    params: { first_day_end_ms: Math.min(toMs, midnight) },
  };
}

/** Only asked of ranges whose calls are gone: the tools of a session's day stand in for those of its calls. */
function hasTool({ tool }: Filters): Where {
  return tool === undefined ? rawSql('') : { sql: 'has(tools, {tool:String})', params: { tool } };
}
