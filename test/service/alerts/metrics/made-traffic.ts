// Rows of metrics made from short descriptions, and rules as the rules file would give them.
import type { MetricRow } from '../../../../src/core/model/metric-row.ts';
import {
  isWindowRule,
  RuleEntry,
  toRule,
  type WindowRule,
} from '../../../../src/service/alerts/alert-rule.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A Monday, noon. */
export const START = Date.UTC(2026, 10, 23, 12);

export function metricRow(minute: number, over: Partial<MetricRow> = {}): MetricRow {
  return {
    startMs: START + minute * MINUTE,
    server: 'shop',
    environment: 'production',
    tool: 'create_order',
    client: 'cursor',
    version: '1.4.2',
    code: '',
    fault: 'none',
    calls: 1,
    blocked: 0,
    wouldBlock: 0,
    ...{ wrongCalls: 0, results: 0, usedResults: 0, followedErrors: 0, recoveredErrors: 0 },
    wastedCalls: 0,
    durations: new Map(),
    ...over,
  };
}

/** One row of good calls and one of failed ones per minute. */
export function failingMinutes(
  minutes: Iterable<number>,
  { calls = 20, failed = 0, ...over }: Partial<MetricRow> & { readonly failed?: number },
): MetricRow[] {
  return [...minutes].flatMap((minute) => [
    metricRow(minute, { ...over, calls: calls - failed }),
    ...(failed > 0 ? [metricRow(minute, { fault: 'server', code: 'HTTP_500', ...over, calls: failed })] : []),
  ]);
}

/** The whole numbers from `from` up to `to`, without it. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

export function windowRule(entry: object): WindowRule {
  const rule = toRule(RuleEntry.parse({ id: 'test-rule', ...entry }));
  if (!isWindowRule(rule)) throw new Error('not a rule over windows');
  return rule;
}
