// The metric of the last seven days with the threshold, and when the rule would have fired.
import type { AlertBacktestResponse } from '../../../../src/contract/alert-backtest.ts';
import { TimePlot } from '../../charts/time-plot.tsx';
import { formatDateTime } from '../../format/format-time.ts';
import { useZone } from '../../view/preferences.ts';
import {
  describeFirings,
  formatMetricValue,
  prepareRuleChart,
  toFiringPath,
  toLinePath,
} from './prepare-rule-chart.ts';
import type { LatestAnswer } from './use-latest-answer.ts';

interface RuleChartProps {
  readonly backtest: LatestAnswer<AlertBacktestResponse>;
  readonly metric: string;
}

const MAX_SHOWN_FIRINGS = 5;

export function RuleChart({ backtest, metric }: RuleChartProps) {
  const { answer, problem, isAsking } = backtest;
  const [rule] = answer?.rules ?? [];
  if (problem !== undefined) return <p className="muted">{problem}</p>;
  if (!answer || !rule)
    return <p className="muted">{isAsking ? 'Looking at the last 7 days…' : 'No backtest for this rule.'}</p>;
  const firings = rule.firings.slice(-MAX_SHOWN_FIRINGS).toReversed();
  return (
    <div data-stale={isAsking || undefined}>
      <output className="verdict-line">{describeFirings(rule)}</output>
      <RuleChartPlot answer={answer} metric={metric} />
      {firings.length > 0 ? (
        <ul className="firings">
          {firings.map(({ firedAt, sentence, labels }) => (
            <li key={`${firedAt} ${JSON.stringify(labels)}`}>
              <FiredAt at={firedAt} /> <span className="muted">{sentence}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

function FiredAt({ at }: { readonly at: string }) {
  const zone = useZone();
  return <time dateTime={at}>{formatDateTime(Date.parse(at), zone)}</time>;
}

function RuleChartPlot({
  answer,
  metric,
}: { readonly answer: AlertBacktestResponse } & Pick<RuleChartProps, 'metric'>) {
  const [rule] = answer.rules;
  const chart = rule && prepareRuleChart(rule, answer.range);
  if (!chart) return null;
  const { grid, maxValue, threshold, values, ticks } = chart;
  const width = grid.toMs - grid.fromMs;
  const format = (value: number): string => formatMetricValue(metric, value);
  return (
    <TimePlot
      label={`${metric} of the last 7 days, with the threshold`}
      grid={grid}
      height={maxValue}
      axis={ticks.map((value) => ({ text: format(value), share: value / maxValue }))}
      toTooltip={(at) => {
        const point = values[at];
        if (!point || point.value === null) return [];
        const value = `${format(point.value)}, n ${point.n}`;
        return [{ key: metric, label: metric, colour: 'var(--series-1)', value }];
      }}
    >
      <path className="firing-span" d={toFiringPath(chart)} />
      <path className="metric-line" d={toLinePath(chart)} />
      {threshold === null ? null : (
        <path className="threshold-line" d={`M0 ${maxValue - threshold}h${width}`} />
      )}
    </TimePlot>
  );
}
