// The SQL expressions for calls, errors, sessions and percentiles of each table: one set, so that all
// responses count alike. A percentile is one merge of states over the whole range, never an average.

import type { TimeRange } from '../../../contract/time-range.ts';
import { OUTCOMES_NOT_COUNTED, OUTCOMES_WITHOUT_LATENCY } from '../../../core/model/outcome.ts';
import {
  allOf,
  type CallSelection,
  canFilter,
  type FiltersOf,
  rawSql,
  type Where,
  whereFilters,
} from './filters.ts';
import {
  chooseGrain,
  chooseGrainFor,
  GRAIN_TABLES,
  type Grain,
  inRange,
  type RetentionBounds,
  requireKept,
} from './grain.ts';

/** A table and its aggregate expressions. */
interface CallAggregates {
  readonly table: string;
  readonly time: string;
  /** Rows of requests that the server answered definitively. */
  readonly answered: Where;
  readonly calls: string;
  readonly errors: string;
  /** Calls that ended `ok`. */
  readonly ok: string;
  /** Calls that have a latency: the n behind a percentile. */
  readonly timed: string;
  /** Array of the 50th, 95th and 99th percentile in microseconds; NaN without latencies. */
  readonly percentiles: string;
  /** The aggregate state of the percentiles, for merging groups again. */
  readonly percentilesState: string;
  /** Distinct sessions: exact up to several thousand, then within 0.5 % (measured: 100 335 for 100 000). */
  readonly sessions: string;
  /** Epoch seconds of the last call. */
  readonly lastCall: string;
}

// The lists are constants and contain no quotes.
const toSqlList = (outcomes: readonly string[]) => outcomes.map((outcome) => `'${outcome}'`).join(', ');
/** Calls that have a latency. */
export const TIMED = `outcome NOT IN (${toSqlList(OUTCOMES_WITHOUT_LATENCY)})`;

/** The rollups contain only answered requests, and their states only meaningful durations. */
const ROLLUP_AGGREGATES = {
  time: 'bucket',
  answered: rawSql(''),
  calls: 'sum(calls)',
  errors: 'sum(errors)',
  ok: `sumIf(calls, outcome = 'ok')`,
  timed: `sumIf(calls, ${TIMED})`,
  percentiles: 'quantilesBFloat16Merge(0.5, 0.95, 0.99)(durations)',
  percentilesState: 'quantilesBFloat16MergeState(0.5, 0.95, 0.99)(durations)',
  sessions: 'uniqCombinedMerge(sessions)',
  lastCall: 'toUnixTimestamp(max(last_call))',
};

const AGGREGATES_BY_GRAIN: Readonly<Record<Grain, CallAggregates>> = {
  calls: {
    table: 'calls',
    time: 'started_at',
    answered: rawSql(`side = 'server' AND outcome NOT IN (${toSqlList(OUTCOMES_NOT_COUNTED)})`),
    calls: 'count()',
    errors: `countIf(fault != 'none')`,
    ok: `countIf(outcome = 'ok')`,
    timed: `countIf(${TIMED})`,
    percentiles: `quantilesBFloat16If(0.5, 0.95, 0.99)(duration_us, ${TIMED})`,
    percentilesState: `quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, ${TIMED})`,
    sessions: `uniqCombinedIf(cityHash64(session_source, session_id), session_id != '')`,
    lastCall: 'toUnixTimestamp(max(started_at))',
  },
  minutes: { table: 'tool_minutes', ...ROLLUP_AGGREGATES },
  hours: { table: 'tool_hours', ...ROLLUP_AGGREGATES },
};

/** The number of calls that meet a condition. */
export const countCallsIf = ({ calls }: CallAggregates, condition: string): string =>
  calls === 'count()' ? `countIf(${condition})` : `sumIf(calls, ${condition})`;

export interface CallSource {
  readonly aggregates: CallAggregates;
  readonly where: Where;
}

/** Requests of every method that a server answered definitively. */
export function toRequestSource(grain: Grain, range: TimeRange): CallSource {
  const aggregates = AGGREGATES_BY_GRAIN[grain];
  return { aggregates, where: allOf(inRange(aggregates.time, range), aggregates.answered) };
}

/** Tool calls that a server answered definitively: what all stats count. */
export function toCallSource(grain: Grain, { range, filters }: CallSelection): CallSource {
  const { aggregates, where } = toRequestSource(grain, range);
  return {
    aggregates,
    where: allOf(where, rawSql(`method = 'tools/call'`), whereFilters(GRAIN_TABLES[grain], filters)),
  };
}

/** Failed calls, and the table that has them. */
export interface FailureSource {
  readonly table: 'failed_calls' | 'calls';
  readonly where: Where;
}

/**
 * The failures among the calls that all stats count: from their own table, which is sorted by tool, or from all
 * calls for a filter without a column there.
 *
 * @param selection.range single calls of it are retained
 */
export function toFailureSource({ range, filters }: CallSelection): FailureSource {
  if (!canFilter('failed_calls', filters)) {
    const { where } = toCallSource('calls', { range, filters });
    return { table: 'calls', where: allOf(where, rawSql(`fault != 'none'`)) };
  }
  return {
    table: 'failed_calls',
    where: allOf(inRange('started_at', range), whereFilters('failed_calls', filters)),
  };
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The whole UTC days within a range; undefined if there are fewer than two. */
export function toWholeDays({ fromMs, toMs }: TimeRange): TimeRange | undefined {
  const days = { fromMs: Math.ceil(fromMs / DAY_MS) * DAY_MS, toMs: Math.floor(toMs / DAY_MS) * DAY_MS };
  return days.toMs - days.fromMs < 2 * DAY_MS ? undefined : days;
}

const instantSql = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
/**
 * End of the days. The last day of the range counts as a whole day if none of its calls is later than the
 * range; then today is one row instead of its hours.
 */
const END_DAY = `(${instantSql('end_day_ms')} + toIntervalDay(
        (SELECT toDateTime64(max(last_call), 3, 'UTC') FROM tool_days WHERE day >= toDate(${instantSql('end_day_ms')})) < ${instantSql('to_ms')}))`;
/** Condition on the days: parameters `first_day_ms`, `end_day_ms` and the range's own `to_ms`. */
export const IN_DAYS = `day >= toDate(${instantSql('first_day_ms')}) AND day < toDate(${END_DAY})`;
export const outsideDays = (time: string): Where =>
  rawSql(`(${time} < ${instantSql('first_day_ms')} OR ${time} >= ${END_DAY})`);

/** Tool calls, with as many as possible taken from daily counts. */
export interface DaySplit {
  /** Calls to read individually. */
  readonly calls: Where;
  /** Condition on `from` for the others; undefined if a filter is not a column of the days. */
  readonly days: string | undefined;
  /**
   * The days table with the fewest rows that has every filter; `client_days` has all columns of `tool_days`.
   */
  readonly daysTable: 'tool_days' | 'client_days';
}

/**
 * For stats that only days and single calls have.
 *
 * @param selection.range single calls of it are retained
 */
export function splitIntoDays({ range, filters }: CallSelection): DaySplit {
  const calls = toCallSource('calls', { range, filters }).where;
  const days = toWholeDays(range);
  const daysTable = canFilter('tool_days', filters) ? 'tool_days' : 'client_days';
  if (days === undefined || !canFilter('client_days', filters)) return { calls, days: undefined, daysTable };
  const { sql, params } = allOf(calls, outsideDays('started_at'));
  return {
    calls: { sql, params: { ...params, first_day_ms: days.fromMs, end_day_ms: days.toMs } },
    days: allOf(rawSql(IN_DAYS), whereFilters('client_days', filters)).sql,
    daysTable,
  };
}

/**
 * The same for queries that do not group by time: in a range of minutes, the whole hours come from the hours.
 *
 * @param selection.range aligned
 * @throws UserError INVALID_PARAMETER when a filter needs calls or minutes that have expired
 */
export function chooseTotalSource(selection: CallSelection, retention: RetentionBounds): CallSource {
  const { range, filters } = selection;
  const grain = chooseGrain(range, filters, retention);
  const fromMs = Math.ceil(range.fromMs / HOUR_MS) * HOUR_MS;
  const toMs = Math.floor(range.toMs / HOUR_MS) * HOUR_MS;
  if (grain !== 'minutes' || !canFilter('tool_hours', filters) || toMs - fromMs < 2 * HOUR_MS)
    return toCallSource(grain, selection);
  const columns =
    'server_name, environment, tool_name, method, outcome, fault, error_code, bucket, calls, errors, last_call, durations, sessions';
  const { sql, params } = toCallSource('hours', selection).where;
  const inHours = `bucket >= ${instantSql('first_hour_ms')} AND bucket < ${instantSql('end_hour_ms')}`;
  return {
    aggregates: {
      ...ROLLUP_AGGREGATES,
      table: `(
      SELECT ${columns} FROM tool_hours WHERE ${sql} AND ${inHours}
      UNION ALL
      SELECT ${columns} FROM tool_minutes WHERE ${sql} AND NOT (${inHours}))`,
    },
    where: { sql: '1', params: { ...params, first_hour_ms: fromMs, end_hour_ms: toMs } },
  };
}

/**
 * The same for queries that group only by server, tool, environment and day: whole days in one row each, the
 * edges from hours or minutes. Other columns, such as the outcome, are not available.
 *
 * @param selection.range aligned
 * @throws UserError INVALID_PARAMETER when a filter needs calls or minutes that have expired
 */
export function chooseToolSource(selection: CallSelection, retention: RetentionBounds): CallSource {
  requireKept(selection.range, selection.filters, retention);
  return toDaySource(selection) ?? chooseTotalSource(selection, retention);
}

/**
 * The same, with columns for the client and for `client_errors`, the errors that were the client's fault.
 *
 * @param selection.range aligned, with retained minutes
 * @returns undefined if there are no whole days, or a filter is not a column of them
 */
export function chooseClientSource(
  selection: CallSelection,
  retention: RetentionBounds,
): CallSource | undefined {
  requireKept(selection.range, selection.filters, retention);
  return toDaySource({ ...selection, withClients: true });
}

interface DayOptions {
  readonly withClients?: boolean;
}

function toDaySource(selection: CallSelection & DayOptions): CallSource | undefined {
  const { range, filters, withClients } = selection;
  const days = toWholeDays(range);
  if (days === undefined || !canFilter('client_days', filters)) return undefined;
  return {
    aggregates: {
      ...ROLLUP_AGGREGATES,
      ok: 'sum(ok)',
      timed: 'sum(timed)',
      table: daysAndEdgesSql(days, { range, filters, withClients }),
    },
    where: {
      sql: '1',
      params: {
        ...whereFilters('client_days', filters).params,
        ...{ from_ms: range.fromMs, to_ms: range.toMs, first_day_ms: days.fromMs, end_day_ms: days.toMs },
      },
    },
  };
}

interface DaySelection {
  readonly range: TimeRange;
  readonly filters: FiltersOf<'client_days'>;
  readonly withClients: boolean | undefined;
}

/**
 * Clients and versions have their own daily table; its edges come from the minutes, which have both columns.
 */
function daysAndEdgesSql(days: TimeRange, { range, filters, withClients = false }: DaySelection): string {
  const byClient = withClients || !canFilter('tool_days', filters);
  const edges = byClient ? AGGREGATES_BY_GRAIN.minutes : AGGREGATES_BY_GRAIN.hours;
  const filterSql = allOf(whereFilters('client_days', filters)).sql;
  const columns = `server_name, tool_name, environment, ${withClients ? 'client_name, ' : ''}durations, sessions, last_call`;
  const faults = (sql: string): string => (withClients ? `, ${sql}` : '');
  const whole = `
      SELECT ${columns}, toDateTime(day, 'UTC') AS bucket, calls, errors, ok, timed${faults('client_errors')}
      FROM ${byClient ? 'client_days' : 'tool_days'}
      WHERE ${IN_DAYS} AND ${filterSql}`;
  if (days.fromMs === range.fromMs && days.toMs === range.toMs) return `(${whole})`;
  return `(${whole}
      UNION ALL
      SELECT ${columns}, bucket, calls, errors, if(outcome = 'ok', calls, 0) AS ok, if(${TIMED}, calls, 0) AS timed${faults(`if(fault = 'client', errors, 0) AS client_errors`)}
      FROM ${edges.table}
      WHERE ${inRange('bucket', range).sql} AND ${outsideDays('bucket').sql}
        AND method = 'tools/call' AND ${filterSql})`;
}

/** The calls of a chart: from days if its buckets are days and its lines have no code. */
export function chooseBucketSource(
  bucketSeconds: number,
  selection: CallSelection & { readonly byCode?: boolean },
  retention: RetentionBounds,
): CallSource {
  const { range, filters, byCode = false } = selection;
  if (!byCode && bucketSeconds % 86_400 === 0) return chooseToolSource(selection, retention);
  return toCallSource(chooseGrainFor(bucketSeconds, { range, filters, retention }), selection);
}

/** Tool names in calls are arbitrary; tools beyond this number per server form one group. */
const MAX_TOOLS = 500;

/**
 * Expressions that group rows by tool, where only the most called tools of a server keep their name: `kept`
 * says whether a tool does, `tool` is empty for the rest.
 */
export function toToolGroups({ aggregates, where }: CallSource): { kept: string; tool: string } {
  const kept = `(server_name, tool_name) IN (
        SELECT server_name, tool_name FROM ${aggregates.table} WHERE ${where.sql}
        GROUP BY server_name, tool_name ORDER BY ${aggregates.calls} DESC, tool_name LIMIT ${MAX_TOOLS} BY server_name)`;
  return { kept, tool: `if(kept, tool_name, '')` };
}
