// Prepares a rate per tool over time, such as correct calls. Tools without a colour become one line, weighted by their n.
import type { SeriesResponse } from '../../../src/contract/series.ts';
import { formatRate } from '../format/format-number.ts';
import { mergeRates } from './prepare-error-rate.ts';
import { prepareChart } from './prepare-lines.ts';
import type { ChartInput, PreparedChart } from './prepared-chart.ts';

/** The chart of the metrics `correctCallRate`, `recoveryRate` and `resultUseRate`. */
export function prepareRate(response: SeriesResponse, input: ChartInput): PreparedChart {
  return prepareChart(response, input, {
    empty: null,
    merge: mergeRates,
    maxScale: 1,
    flagsFewCalls: true,
    format: formatRate,
    raw: { name: response.metric, times: 1 },
  });
}
