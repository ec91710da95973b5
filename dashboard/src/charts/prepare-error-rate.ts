// Prepares the errors of each tool over time, as a count or a rate. Tools without a colour become one line; their rates are
// weighted by their calls.
import type { SeriesResponse } from '../../../src/contract/series.ts';
import { formatCount, formatRate, NO_VALUE } from '../format/format-number.ts';
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

/** The same response as numbers of errors: a bucket of two failed calls does not reach higher than an incident. */
export function prepareErrorCount(response: SeriesResponse, input: ChartInput): PreparedChart {
  const { compared } = response;
  const counted = {
    ...response,
    series: response.series.map(toCounts),
    ...(compared && { compared: { ...compared, series: compared.series.map(toCounts) } }),
  };
  return prepareChart(counted, input, {
    empty: 0,
    omitZeroLines: true,
    merge: (points) => points.reduce((sum, { value }) => sum + (value ?? 0), 0),
    flagsFewCalls: false,
    format: (value) => (value === null ? NO_VALUE : formatCount(value)),
    raw: { name: 'errors', times: 1 },
  });
}

function toCounts({ key, points }: SeriesResponse['series'][number]): SeriesResponse['series'][number] {
  return {
    key,
    points: points.map(([atMs, rate, n]) => [atMs, rate === null ? null : Math.round(rate * n), n]),
  };
}

/** Averages rates weighted by their calls. */
export function mergeRates(points: readonly PreparedPoint[]): number | null {
  const n = points.reduce((sum, point) => sum + (point.value === null ? 0 : point.n), 0);
  const errors = points.reduce((sum, point) => sum + (point.value ?? 0) * point.n, 0);
  return n === 0 ? null : errors / n;
}
