// Rules against the usual: false alarms on generated traffic, how soon a step is found, and the limits themselves.
import { describe, expect, test } from 'vitest';
import type { MetricRow } from '../../../../src/core/model/metric-row.ts';
import { evaluateWindowRule } from '../../../../src/service/alerts/metrics/evaluate-window-rules.ts';
import { estimateCount, estimateShare } from '../../../../src/service/alerts/metrics/rate-limits.ts';
import { createMulberry32 } from '../../../support/random.ts';
import { MINUTE, START } from './made-traffic.ts';
import {
  bucketRows,
  countAlarmsPerWeek,
  ERRORS_UP,
  factsAt,
  hoursBefore,
  steadyTraffic,
  WEEK,
} from './weekly-traffic.ts';

/** Sums that a table of Poisson limits gives (Garwood 1936; two-sided 95 %). */
const GARWOOD = [
  { count: 10, low: 4.8, high: 18.39 },
  { count: 100, low: 81.36, high: 121.63 },
];

/** @returns the end of the first minute that tells, in minutes after the step, plus the minute until it is closed */
function findDelay(seed: number, before: number, after: number): number {
  const usual = hoursBefore(steadyTraffic(seed, before), START - 4 * WEEK, START);
  const rates = { random: createMulberry32(seed + 1), callsAt: () => 20 };
  const rows: MetricRow[] = [];
  for (let minute = -10; minute < 30; minute += 1) {
    const rate = minute < 0 ? before : after;
    rows.push(...bucketRows({ ...rates, rateAt: () => rate }, START + minute * MINUTE, 1));
    const endMs = START + (minute + 1) * MINUTE;
    if (minute < 0) continue;
    const recent = rows.filter(({ startMs }) => startMs >= endMs - 10 * MINUTE);
    if (evaluateWindowRule(ERRORS_UP, factsAt(endMs, recent, usual))?.length !== 0) return minute + 2;
  }
  return Number.POSITIVE_INFINITY;
}

describe('a rule against the usual', () => {
  test('has less than one false alarm a week and server', () => {
    const perWeek = countAlarmsPerWeek([1], 1);
    for (const rate of Object.values(perWeek)) expect(rate).toBeLessThan(1);
  }, 60_000);

  test.each([
    { before: 0.05, after: 0.3, within: 5 },
    { before: 0.1, after: 0.3, within: 10 },
    { before: 0.2, after: 0.6, within: 10 },
  ])(
    'a step from $before to $after is notified within $within minutes, 19 of 20 times',
    ({ before, after, within }) => {
      const delays = Array.from({ length: 100 }, (_, seed) => findDelay(seed + 1, before, after));
      const sorted = delays.toSorted((a, b) => a - b);
      console.info(`step ${before} to ${after}: minutes, median ${sorted[50]}, worst ${sorted.at(-1)}`);
      expect(sorted[Math.ceil(0.95 * sorted.length) - 1]).toBeLessThanOrEqual(within);
    },
  );

  test.each(GARWOOD)(
    'the limits of a count of $count are those of the exact table within 1 %',
    ({ count, low, high }) => {
      const estimate = estimateCount(count, 1, 1.96);
      expect(Math.abs(estimate.low / low - 1)).toBeLessThan(0.01);
      expect(Math.abs(estimate.high / high - 1)).toBeLessThan(0.01);
    },
  );

  test('the limits of a share are those of Wilson (Newcombe 1998, table I: 81 of 263)', () => {
    const { low, high } = estimateShare(81, 263, 1.96);
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.2553', '0.3662']);
  });
});
