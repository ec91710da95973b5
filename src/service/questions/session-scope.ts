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
 * a million sessions, of which two are alike once in a hundred million times.
 */
export const IDENTITY_HASH = `cityHash64(${IDENTITY})`;

const DAY_MS = 86_400_000;
/** Up to here it is quicker to find who was there in the days of the range first; beyond, all are put together anyway. */
const SHORT_MS = 7 * DAY_MS;
const ROLLED_UP: readonly FilterName[] = ['server', 'environment'];
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
  const asked = rowsAsked(scope);
  const { fromMs, toMs } = scope.range;
  const isShort = toMs - fromMs <= SHORT_MS;
  const among = isShort
    ? always(`${IDENTITY_HASH} IN (SELECT ${IDENTITY_HASH} FROM sessions WHERE ${asked.sql})`)
    : always('');
  const server = allOf(whereFilters(scope.filters, ['server']), among);
  return {
    sql: `
      SELECT
        ${IDENTITY_HASH} AS identity_hash,
        sum(calls) AS n,
        sum(errors) AS failed,
        toUnixTimestamp64Micro(min(started_at)) AS started_us,
        toUnixTimestamp64Micro(max(ended_at)) AS ended_us,
        max(last_call) AS last,
        max(connected) AS has_connected
      FROM sessions
      WHERE ${server.sql}
      GROUP BY identity_hash
      HAVING ${isShort ? '' : `max(${asked.sql}) AND `}${having.sql}`,
    params: { ...server.params, ...asked.params, ...having.params },
  };
}

/**
 * The condition on a row of `sessions`, true for one at least of each session asked about.
 *
 * @throws UserError INVALID_PARAMETER when a filter needs calls that are no longer kept
 */
export function rowsAsked({ range, filters, reach }: Scope): Where {
  requireKept(range, filters, reach);
  const rolledUp = askedFilters(filters).every((name) => ROLLED_UP.includes(name));
  const kept = hasCalls(range, reach);
  if (kept && !rolledUp)
    return amongCalls(allOf(inRange('started_at', range), IN_A_SESSION, whereFilters(filters)));
  return allOf(inDays(range, kept), whereFilters(filters, ROLLED_UP), withTool(filters));
}

function amongCalls({ sql, params }: Where): Where {
  return { sql: `${IDENTITY_HASH} IN (SELECT ${IDENTITY_HASH} FROM calls WHERE ${sql})`, params };
}

/** Once the calls are gone, a session that was going on when the range began counts as being in it. */
function inDays(range: TimeRange, kept: boolean): Where {
  const { sql, params } = inRange('started_at', range);
  const firstDay = `toDate(fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC'))`;
  const goingOn = allOf(
    always(`day = ${firstDay}`),
    always(`ended_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')`),
    kept ? amongCalls(allOf(inFirstDay(range), IN_A_SESSION)) : always(''),
  );
  // The days say no more than the rest, but they leave whole partitions unread.
  const days = `day >= ${firstDay} AND day <= toDate(fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC'))`;
  return { sql: `(${days} AND ((${sql}) OR (${goingOn.sql})))`, params: { ...params, ...goingOn.params } };
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
