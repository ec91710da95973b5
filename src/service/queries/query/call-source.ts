// The SQL expressions for calls, errors, sessions and percentiles of each table: one set, so that all
// responses count alike. A percentile is one merge of states over the whole range, never an average.

import type { TimeRange } from '../../../contract/time-range.ts';
import { OUTCOMES_NOT_COUNTED, OUTCOMES_WITHOUT_LATENCY } from '../../../core/model/outcome.ts';
import { allOf, type CallSelection, canFilter, rawSql, type Where, whereFilters } from './filters.ts';
import { GRAIN_TABLES, type Grain, inRange } from './grain.ts';

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
  /** The aggregate state of `sessions`. */
  readonly sessionsState: string;
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
export const ROLLUP_AGGREGATES = {
  time: 'bucket',
  answered: rawSql(''),
  calls: 'sum(calls)',
  errors: 'sum(errors)',
  ok: `sumIf(calls, outcome = 'ok')`,
  timed: `sumIf(calls, ${TIMED})`,
  percentiles: 'quantilesBFloat16Merge(0.5, 0.95, 0.99)(durations)',
  percentilesState: 'quantilesBFloat16MergeState(0.5, 0.95, 0.99)(durations)',
  sessions: 'uniqCombinedMerge(sessions)',
  sessionsState: 'uniqCombinedMergeState(sessions)',
  lastCall: 'toUnixTimestamp(max(last_call))',
};

export const AGGREGATES_BY_GRAIN: Readonly<Record<Grain, CallAggregates>> = {
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
    sessionsState: `uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '')`,
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

/** Tool names in calls are arbitrary; tools beyond this number per server form one group. */
const MAX_TOOLS = 500;

/**
 * Whether a tool keeps its own name: only the most called tools of a server do. For rows that are grouped by
 * `server_of` and `tool_of`, so that their source is read only once.
 *
 * @param rank `row_number` for one row a tool, `dense_rank` for several
 * @param calls the column with the calls of the tool
 */
export const isKeptSql = (rank: 'row_number' | 'dense_rank', calls: string): string =>
  `${rank}() OVER (PARTITION BY server_of ORDER BY ${calls} DESC, tool_of) <= ${MAX_TOOLS}`;
