// Prepares error rate per tool over time. Tools without a colour become one line, weighted by their calls.
import type { SeriesResponse } from '../../../src/contract/series.ts';
import { formatRate } from '../format/format-number.ts';
import { prepareChart } from './prepare-lines.ts';
import type { ChartInput, PreparedChart, PreparedPoint } from './prepared-chart.ts';

/** The chart of the metric `errorRate`, without tools that never failed. */
export function prepareErrorRate(response: SeriesResponse, input: ChartInput): PreparedChart {
  return prepareChart(response, input, {
    empty: null,
    omitZeroLines: true,
    merge: mergeRates,
    maxScale: 1,
    flagsFewCalls: true,
    format: formatRate,
    raw: { name: 'errorRate', times: 1 },
  });
}

/** Averages rates weighted by their calls. */
export function mergeRates(points: readonly PreparedPoint[]): number | null {
  const n = points.reduce((sum, point) => sum + (point.value === null ? 0 : point.n), 0);
  const errors = points.reduce((sum, point) => sum + (point.value ?? 0) * point.n, 0);
  return n === 0 ? null : errors / n;
}
