// The calls around an alert as bars of 100 by 24, and the failed ones of them.
import type { AlertRow, AlertRuleRow } from '../../../../src/contract/alerts.ts';
import type { TrendResponse } from '../../../../src/contract/overview.ts';

export interface AlertTrend {
  readonly calls: number;
  readonly errors: number;
  /** SVG paths; empty without calls. */
  readonly callBars: string;
  readonly errorBars: string;
}

const WIDTH = 100;
const HEIGHT = 24;
const BAR_WIDTH = 0.8;

export function prepareAlertTrend({ points }: Pick<TrendResponse, 'points'>): AlertTrend {
  const calls = points.map((point) => point.calls);
  const errors = points.map((point) => point.errors);
  const largest = Math.max(1, ...calls);
  const toBars = (values: readonly number[]): string => values.map(toBar).join('');
  const step = WIDTH / Math.max(1, points.length);
  const toBar = (value: number, at: number): string => {
    if (value === 0) return '';
    const [x, height, width] = [at * step, (value / largest) * HEIGHT, step * BAR_WIDTH].map(round);
    return `M${x} ${HEIGHT}v-${height}h${width}v${height}z`;
  };
  return { calls: sum(calls), errors: sum(errors), callBars: toBars(calls), errorBars: toBars(errors) };
}

const round = (value: number): number => Number(value.toFixed(2));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Each trend is a request of its own. */
const MAX_TRENDS = 5;

/** @returns the fingerprints of the alerts that are shown with a trend */
export function chooseTrends(alerts: readonly AlertRow[]): ReadonlySet<string> {
  const firing = alerts.filter(({ state, labels }) => state === 'firing' && labels['server']);
  return new Set(firing.slice(0, MAX_TRENDS).map(({ fingerprint }) => fingerprint));
}

/** Rules over windows have the value and its limit in their sentence. */
export function isValueInSentence(rules: readonly AlertRuleRow[], ruleId: string): boolean {
  const kind = rules.find(({ id }) => id === ruleId)?.kind;
  return kind === 'metric' || kind === 'changed' || kind === 'event';
}
