// How calls, errors, sessions and percentiles are read from each of the three tables: one set of expressions, so that no
// answer counts by a rule of its own. A percentile is one merge of states over the whole range, never an average.

import type { TimeRange } from '../../contract/time-range.ts';
import { OUTCOMES_NOT_COUNTED, OUTCOMES_WITHOUT_LATENCY } from '../../core/model/outcome.ts';
import { allOf, always, type Filters, type Where, whereFilters } from './filters.ts';
import { type Grain, inRange } from './grain.ts';

/** A table, and the aggregates that give its figures. */
interface Figures {
  readonly table: string;
  readonly time: string;
  /** Which rows are requests that a server answered for good. */
  readonly answered: Where;
  readonly calls: string;
  readonly errors: string;
  /** Calls that have a latency: the n behind a percentile. */
  readonly timed: string;
  /** Array of the 50th, 95th and 99th percentile in microseconds; NaN where nothing is timed. */
  readonly percentiles: string;
  /** Distinct sessions: exact up to several thousand, then within 0.5 % (measured: 100 335 for 100 000). */
  readonly sessions: string;
  /** Epoch seconds of the last call. */
  readonly lastCall: string;
}

// The lists are ours, not a person's, and hold no quote.
const inList = (outcomes: readonly string[]) => outcomes.map((outcome) => `'${outcome}'`).join(', ');
const TIMED = `outcome NOT IN (${inList(OUTCOMES_WITHOUT_LATENCY)})`;

/** The rollups hold only answered requests, and their states only durations that say something. */
const ROLLUP = {
  time: 'bucket',
  answered: always(''),
  calls: 'sum(calls)',
  errors: 'sum(errors)',
  timed: `sumIf(calls, ${TIMED})`,
  percentiles: 'quantilesBFloat16Merge(0.5, 0.95, 0.99)(durations)',
  sessions: 'uniqCombinedMerge(sessions)',
  lastCall: 'toUnixTimestamp(max(last_call))',
};

const FIGURES: Readonly<Record<Grain, Figures>> = {
  calls: {
    table: 'calls',
    time: 'started_at',
    answered: always(`side = 'server' AND outcome NOT IN (${inList(OUTCOMES_NOT_COUNTED)})`),
    calls: 'count()',
    errors: `countIf(fault != 'none')`,
    timed: `countIf(${TIMED})`,
    percentiles: `quantilesBFloat16If(0.5, 0.95, 0.99)(duration_us, ${TIMED})`,
    sessions: `uniqCombinedIf(cityHash64(session_source, session_id), session_id != '')`,
    lastCall: 'toUnixTimestamp(max(started_at))',
  },
  minutes: { table: 'tool_minutes', ...ROLLUP },
  hours: { table: 'tool_hours', ...ROLLUP },
};

/** A read of one table. */
export interface Counted {
  readonly figures: Figures;
  readonly where: Where;
}

/** Requests of every method that a server answered for good. */
export function answeredRequests(grain: Grain, range: TimeRange): Counted {
  const figures = FIGURES[grain];
  return { figures, where: allOf(inRange(figures.time, range), figures.answered) };
}

/** Tool calls that a server answered for good: what every figure counts. */
export function countedCalls(
  grain: Grain,
  { range, filters }: { readonly range: TimeRange; readonly filters: Filters },
): Counted {
  const { figures, where } = answeredRequests(grain, range);
  return { figures, where: allOf(where, always(`method = 'tools/call'`), whereFilters(filters)) };
}

/** A server may be asked for any name at all; beyond this many a server, the rest is one group. */
const MOST_TOOLS = 500;

/**
 * Expressions that group rows by tool, where only the most called tools of a server keep their name: `kept` says
 * whether this one does, `tool` is empty for the rest.
 */
export function toolGroups({ figures, where }: Counted): { kept: string; tool: string } {
  const kept = `(server_name, tool_name) IN (
        SELECT server_name, tool_name FROM ${figures.table} WHERE ${where.sql}
        GROUP BY server_name, tool_name ORDER BY ${figures.calls} DESC, tool_name LIMIT ${MOST_TOOLS} BY server_name)`;
  return { kept, tool: `if(kept, tool_name, '')` };
}
