// Prepares p50 or p95 per tool over time, and both over the whole range as one bar per tool.
import type { SeriesResponse } from '../../../src/contract/series.ts';
import type { ToolRow } from '../../../src/contract/tools.ts';
import { formatDuration } from '../format/format-duration.ts';
import { prepareChart } from './prepare-lines.ts';
import type { ChartInput, PreparedChart } from './prepared-chart.ts';

/** The chart of the metrics `p50` and `p95`, without a combined line: percentiles cannot be merged. */
export function prepareLatency(response: SeriesResponse, input: ChartInput): PreparedChart {
  return prepareChart(response, input, {
    empty: null,
    flagsFewCalls: true,
    format: formatDuration,
    raw: { name: `${response.metric}Ms`, times: 1 },
  });
}

export interface LatencyBar {
  readonly row: ToolRow;
  /** Start and end of the bar from p50 to p95, as fractions of the axis. */
  readonly start: number;
  readonly end: number;
}

/**
 * Bars from p50 to p95, slowest first, on one logarithmic axis, because tools differ by orders of magnitude.
 */
export function prepareLatencyBars(tools: readonly ToolRow[]): LatencyBar[] {
  const rows = tools.filter((row) => row.p50Ms !== null && row.p95Ms !== null);
  const values = rows.flatMap((row) => [row.p50Ms ?? 0, row.p95Ms ?? 0]).map(toLog);
  const low = Math.min(...values);
  const width = Math.max(...values) - low || 1;
  const toPosition = (ms: number | null): number => (toLog(ms ?? 0) - low) / width;
  return rows
    .map((row) => ({ row, start: toPosition(row.p50Ms), end: toPosition(row.p95Ms) }))
    .sort((a, b) => (b.row.p95Ms ?? 0) - (a.row.p95Ms ?? 0) || a.row.tool.localeCompare(b.row.tool));
}

/** Values below 0.01 ms are treated as equal. */
function toLog(ms: number): number {
  return Math.log10(Math.max(ms, 0.01));
}
