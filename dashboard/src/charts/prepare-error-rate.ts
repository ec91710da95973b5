// Prepares error rate per tool over time. Tools without a colour become one line, weighted by their calls.
import type { SeriesResponse } from '../../../src/contract/responses.ts';
import { formatRate } from '../format/format-number.ts';
import { findLargestValue, prepareBucketGrid, prepareLines } from './prepare-lines.ts';
import { prepareScale } from './prepare-scale.ts';
import type { ChartInput, PreparedChart, PreparedPoint } from './prepared-chart.ts';

/** The chart of the metric `errorRate`, without tools that never failed. */
export function prepareErrorRate(
  response: SeriesResponse,
  { slots, nowMs, previousLabel }: ChartInput,
): PreparedChart {
  const grid = prepareBucketGrid(response, nowMs);
  const { lines, omittedLines } = prepareLines(response, grid, {
    slots,
    previousLabel,
    empty: null,
    omitZeroLines: true,
    merge: mergeRates,
  });
  return {
    ...grid,
    ...prepareScale(findLargestValue(lines), 1),
    lines,
    omittedLines,
    hasLineLabels: slots.canLabelLines,
    flagsFewCalls: true,
    format: formatRate,
    raw: { name: 'errorRate', times: 1 },
  };
}

/** Averages rates weighted by their calls. */
export function mergeRates(points: readonly PreparedPoint[]): number | null {
  const n = points.reduce((sum, point) => sum + (point.value === null ? 0 : point.n), 0);
  const errors = points.reduce((sum, point) => sum + (point.value ?? 0) * point.n, 0);
  return n === 0 ? null : errors / n;
}
