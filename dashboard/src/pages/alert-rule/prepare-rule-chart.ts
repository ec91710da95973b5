// The chart of a rule: the metric over the days of its backtest, the threshold, and when it would have fired.

import type { AlertBacktestResponse } from '../../../../src/contract/alert-backtest.ts';
import type { BucketGrid } from '../../charts/prepare-lines.ts';
import { prepareScale, type Scale } from '../../charts/prepare-scale.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatRate } from '../../format/format-number.ts';
import { isRateMetric } from './rule-draft.ts';

type RuleBacktest = AlertBacktestResponse['rules'][number];

export interface RuleChart extends Scale {
  readonly grid: BucketGrid;
  readonly values: readonly { readonly value: number | null; readonly n: number }[];
  readonly threshold: number | null;
  /** From firing to resolved, in epoch milliseconds. */
  readonly firings: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** Room above the highest value and the threshold. */
const HEADROOM = 1.1;

export function prepareRuleChart(
  { values, threshold, firings }: RuleBacktest,
  range: AlertBacktestResponse['range'],
): RuleChart | undefined {
  const starts = values.map(({ at }) => Date.parse(at));
  const [first, second] = starts;
  const last = starts.at(-1);
  if (first === undefined || second === undefined || last === undefined) return undefined;
  const largest = Math.max(threshold ?? 0, ...values.map(({ value }) => value ?? 0));
  return {
    ...prepareScale(largest * HEADROOM),
    grid: { fromMs: first, toMs: last, bucketMs: second - first, starts, runningFromMs: undefined },
    values,
    threshold,
    firings: firings.map(({ firedAt, resolvedAt }) => ({
      fromMs: Math.max(first, Date.parse(firedAt)),
      toMs: resolvedAt === null ? range.toMs : Date.parse(resolvedAt),
    })),
  };
}

/** An SVG path, with a gap where there is no value. The height of the drawing is the largest value. */
export function toLinePath({ grid, values, maxValue }: RuleChart): string {
  let isOpen = false;
  const steps = values.map(({ value }, at) => {
    const start = grid.starts[at];
    if (value === null || start === undefined) {
      isOpen = false;
      return '';
    }
    const step = `${isOpen ? 'L' : 'M'}${start - grid.fromMs} ${maxValue - value}`;
    isOpen = true;
    return step;
  });
  return steps.join('');
}

/** The narrowest a firing is drawn, as a share of the width. */
const MIN_FIRING_SHARE = 1 / 200;

/** Bands as an SVG path, because browsers cut off the attributes of a rectangle at 33,554,428. */
export function toFiringPath({ grid, firings, maxValue }: RuleChart): string {
  const minWidth = (grid.toMs - grid.fromMs) * MIN_FIRING_SHARE;
  return firings
    .map(({ fromMs, toMs }) => {
      const width = Math.max(toMs - fromMs, minWidth);
      return `M${fromMs - grid.fromMs} 0h${width}v${maxValue}h${-width}z`;
    })
    .join('');
}

export function formatMetricValue(metric: string, value: number): string {
  if (isRateMetric(metric)) return formatRate(value);
  return /^p\d+$/.test(metric) ? formatDuration(value) : formatCount(value);
}

/** "Would have fired 3 times in the last 7 days." */
export function describeFirings({
  firingCount,
  problem,
}: Pick<RuleBacktest, 'firingCount' | 'problem'>): string {
  if (problem !== null) return `There is no backtest: ${problem}`;
  if (firingCount === 0) return 'Would not have fired in the last 7 days.';
  return `Would have fired ${firingCount === 1 ? 'once' : `${formatCount(firingCount)} times`} in the last 7 days.`;
}
