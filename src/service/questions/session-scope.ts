// Which sessions a question is about: those with a request in the range that passes the filters. What is then said of
// a session is said of all of it, so this is a condition on one of a session's rows and never on the rows that are counted.
//
// `sessions` has rows per session and day, with a first start and a last end. One that starts in the range is in; one
// that began earlier on the range's first day may or may not be, and only the single calls of that day can tell.

import type { TimeRange } from '../../contract/time-range.ts';
import {
  allOf,
  always,
  askedFilters,
  type FilterName,
  type Filters,
  type Where,
  whereFilters,
} from './filters.ts';
import { hasCalls, inRange, type Reach, requireKept } from './grain.ts';

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
const SHORT_MS = 8 * DAY_MS;
const ROLLED_UP: readonly FilterName[] = ['server', 'environment'];
/** The sets of names that a session's row has, by the filter that asks for one; so many names fill a set, and it may lack some. */
const NAMES = { client: 'clients', version: 'versions' } as const;
const FULL_SET = 20;
const FROM = `fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')`;
const TO = `fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`;
/** Says no more than the conditions on times, but leaves whole partitions unread. */
const ONLY_DAYS = `day >= toDate(${FROM}) AND day <= toDate(${TO})`;
const NONE = always('');
const IN_A_SESSION = always(`side = 'server' AND session_id != ''`);

/** What a question about sessions depends on. */
export interface Scope {
  readonly range: TimeRange;
  readonly filters: Filters;
  readonly reach: Reach;
}

/**
 * Every whole session that is asked about, as the text of a subquery: its hash, `n` calls, `failed` of them, `started_us` and
 * `ended_us`, `last_call` as `sessions` has it, and whether it ever `connected`.
 *
 * @param scope.range aligned
 * @param having on those columns
 * @throws UserError INVALID_PARAMETER when a filter needs calls that are no longer kept
 */
export function wholeSessions(scope: Scope, having: Where = always('1')): Where {
  const { inRow, inSession } = whoIsAsked(scope);
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
function whoIsAsked(scope: Scope): { readonly inRow: Where; readonly inSession: Where } {
  const asked = rowsAsked(scope);
  const { range, filters, reach } = scope;
  const source = sourceOf(range, filters, reach);
  if (source === 'calls') return { inRow: NONE, inSession: asked };
  const isMost = range.toMs - range.fromMs > SHORT_MS && range.toMs >= reach.nowMs - DAY_MS;
  if (source === 'days' && isMost) return { inRow: asked, inSession: NONE };
  const among = `identity_hash IN (SELECT identity_hash FROM sessions WHERE ${asked.sql})`;
  return { inRow: NONE, inSession: { sql: among, params: asked.params } };
}

/**
 * The condition on a row of `sessions`, true for one at least of each session asked about.
 *
 * @throws UserError INVALID_PARAMETER when a filter needs calls that are no longer kept
 */
export function rowsAsked({ range, filters, reach }: Scope): Where {
  requireKept(range, filters, reach);
  switch (sourceOf(range, filters, reach)) {
    case 'calls':
      return amongCalls(callsAsked(range, filters));
    case 'names':
      return inNames(range, filters);
    case 'days':
      return allOf(
        inDays(range, hasCalls(range, reach)),
        whereFilters(filters, ROLLED_UP),
        withTool(filters),
      );
  }
}

/** What tells which sessions are meant: the single calls, the names of a session's day, or its day alone. */
function sourceOf(range: TimeRange, filters: Filters, reach: Reach): 'calls' | 'names' | 'days' {
  const asked = askedFilters(filters).filter((name) => !ROLLED_UP.includes(name));
  if (asked.length === 0 || !hasCalls(range, reach)) return 'days';
  return asked.every((name) => name in NAMES) ? 'names' : 'calls';
}

/**
 * A row tells by itself where all of its calls have the names, or all of its calls lie in the range and one has them; what is
 * left, as sessions that were going on when the range began, is looked up among the calls.
 */
function inNames(range: TimeRange, filters: Filters): Where {
  const { sql: calls, params } = callsAsked(range, filters);
  const asked = Object.entries(NAMES).flatMap(([name, column]) =>
    askedFilters(filters).some((one) => one === name) ? [{ name, column }] : [],
  );
  const may = asked.map(
    ({ name, column }) => `(has(${column}, {${name}:String}) OR length(${column}) >= ${FULL_SET})`,
  );
  const has = asked.map(({ name, column }) => `has(${column}, {${name}:String})`);
  const ones = asked.map(({ column }) => `length(${column}) = 1`);
  const some = asked.length === 1 ? '1' : `(${ones.join(' OR ')})`;
  const possible = allOf(
    always(`${ONLY_DAYS} AND started_at < ${TO} AND ended_at >= ${FROM}`),
    whereFilters(filters, ROLLED_UP),
    always(may.join(' AND ')),
  );
  const sure = `(started_at >= ${FROM} AND ${has.join(' AND ')} AND ((${ones.join(' AND ')}) OR (ended_at < ${TO} AND ${some})))`;
  const unsure = `FROM sessions WHERE ${possible.sql} AND NOT ${sure}`;
  const among = amongCalls(lookUp({ sql: calls, params }, unsure));
  return { sql: `(${possible.sql} AND (${sure} OR ${among.sql}))`, params };
}

/** Calls of some rows of `sessions` alone: the last end of those leaves most of the calls unread, or all of them. */
function lookUp({ sql, params }: Where, fromRows: string): Where {
  return {
    sql: `${sql} AND started_at <= (SELECT max(ended_at) ${fromRows}) AND session_id IN (SELECT session_id ${fromRows})`,
    params,
  };
}

function callsAsked(range: TimeRange, filters: Filters): Where {
  return allOf(inRange('started_at', range), IN_A_SESSION, whereFilters(filters));
}

function amongCalls({ sql, params }: Where): Where {
  return { sql: `identity_hash IN (SELECT ${IDENTITY_HASH} FROM calls WHERE ${sql})`, params };
}

/** Once the calls are gone, a session that was going on when the range began counts as being in it. */
function inDays(range: TimeRange, kept: boolean): Where {
  const { sql, params } = inRange('started_at', range);
  const cut = always(`day = toDate(${FROM}) AND started_at < ${FROM} AND ended_at >= ${FROM}`);
  const calls = lookUp(allOf(inFirstDay(range), IN_A_SESSION), `FROM sessions WHERE ${cut.sql}`);
  const goingOn = allOf(cut, kept ? amongCalls(calls) : NONE);
  return {
    sql: `(${ONLY_DAYS} AND ((${sql}) OR (${goingOn.sql})))`,
    params: { ...params, ...goingOn.params },
  };
}

function inFirstDay({ fromMs, toMs }: TimeRange): Where {
  const midnight = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS;
  const { sql } = inRange('started_at', { fromMs, toMs });
  return {
    sql: sql.replace('{to_ms:Int64}', '{first_day_end_ms:Int64}'),
    params: { first_day_end_ms: Math.min(toMs, midnight) },
  };
}

/** Only asked of ranges whose calls are gone: the tools of a session's day stand in for those of its calls. */
function withTool({ tool }: Filters): Where {
  return tool === undefined ? always('') : { sql: 'has(tools, {tool:String})', params: { tool } };
}
