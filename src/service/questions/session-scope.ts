// Which sessions a question is about: those with a request in the range that passes the filters. What is then said of
// a session is said of all of it, so this is a condition on identities and never on the rows that are counted.
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

const DAY_MS = 86_400_000;
const ROLLED_UP: readonly FilterName[] = ['server', 'environment'];
const IN_A_SESSION = always(`side = 'server' AND session_id != ''`);

interface Asked {
  readonly filters: Filters;
  readonly reach: Reach;
}

/**
 * The condition on `sessions` that picks those asked about.
 *
 * @param range aligned
 * @throws UserError INVALID_PARAMETER when a filter needs calls that are no longer kept
 */
export function sessionsAsked(range: TimeRange, { filters, reach }: Asked): Where {
  requireKept(range, filters, reach);
  const rolledUp = askedFilters(filters).every((name) => ROLLED_UP.includes(name));
  const kept = hasCalls(range, reach);
  if (kept && !rolledUp)
    return among('calls', allOf(inRange('started_at', range), IN_A_SESSION, whereFilters(filters)));
  const rows = allOf(inDays(range, kept), whereFilters(filters, ROLLED_UP), withTool(filters));
  return among('sessions', rows);
}

function among(table: string, { sql, params }: Where): Where {
  return { sql: `(${IDENTITY}) IN (SELECT ${IDENTITY} FROM ${table} WHERE ${sql})`, params };
}

/** Once the calls are gone, a session that was going on when the range began counts as being in it. */
function inDays(range: TimeRange, kept: boolean): Where {
  const { sql, params } = inRange('started_at', range);
  const day = `day >= toDate(fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')) AND day <= toDate(fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC'))`;
  const goingOn = allOf(
    always(`day = toDate(fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC'))`),
    always(`ended_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')`),
    kept ? among('calls', allOf(inFirstDay(range), IN_A_SESSION)) : always(''),
  );
  return { sql: `${day} AND (${sql} OR (${goingOn.sql}))`, params: { ...params, ...goingOn.params } };
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
