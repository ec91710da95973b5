// p50 or p95 per tool over time, and both over the whole range as one bar a tool.
import type { SeriesAnswer, ToolRow } from '../../../src/contract/answers.ts';
import { formatDuration } from '../format/format-duration.ts';
import { largestOf, prepareGrid, prepareLines } from './prepare-lines.ts';
import { prepareScale } from './prepare-scale.ts';
import type { ChartInput, PreparedChart } from './prepared-chart.ts';

/** The chart of the metrics `p50` and `p95`. Percentiles of several tools cannot be merged here, so none are. */
export function prepareLatency(answer: SeriesAnswer, { slots, nowMs, earlier }: ChartInput): PreparedChart {
  const grid = prepareGrid(answer, nowMs);
  const { lines, leftOut } = prepareLines(answer, grid, { slots, earlier, empty: null });
  return {
    ...grid,
    ...prepareScale(largestOf(lines)),
    lines,
    leftOut,
    labelled: slots.areFew,
    marksFew: true,
    format: formatDuration,
    raw: { name: `${answer.metric}Ms`, times: 1 },
  };
}

export interface LatencySpan {
  readonly row: ToolRow;
  /** Where the bar from p50 to p95 begins and ends, as fractions of the axis. */
  readonly start: number;
  readonly end: number;
}

/**
 * Bars from p50 to p95, slowest first, on one logarithmic axis: tools differ by orders of magnitude.
 */
export function prepareLatencySpans(tools: readonly ToolRow[]): LatencySpan[] {
  const rows = tools.filter((row) => row.p50Ms !== null && row.p95Ms !== null);
  const values = rows.flatMap((row) => [row.p50Ms ?? 0, row.p95Ms ?? 0]).map(toLog);
  const low = Math.min(...values);
  const width = Math.max(...values) - low || 1;
  const place = (ms: number | null): number => (toLog(ms ?? 0) - low) / width;
  return rows
    .map((row) => ({ row, start: place(row.p50Ms), end: place(row.p95Ms) }))
    .sort((a, b) => (b.row.p95Ms ?? 0) - (a.row.p95Ms ?? 0) || a.row.tool.localeCompare(b.row.tool));
}

/** Below a hundredth of a millisecond nothing is told apart. */
function toLog(ms: number): number {
  return Math.log10(Math.max(ms, 0.01));
}
