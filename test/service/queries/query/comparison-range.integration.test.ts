// Comparison with an earlier range: which range that is, and its numbers against an oracle over the same rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import type { Comparison } from '../../../../src/contract/query.ts';
import { SeriesResponse } from '../../../../src/contract/series.ts';
import { SummaryResponse } from '../../../../src/contract/summary.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { toComparisonRange } from '../../../../src/service/queries/query/comparison-range.ts';
import { createSeededCalls, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import {
  failedCalls,
  listSessions,
  nearestRank,
  type OracleFilters,
  type OracleRange,
  toolCalls,
} from '../../../support/oracle/call-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE + 23_456;

let engine: TestEngine;
let queries: Queries;
const calls = [
  ...createSeededCalls({ seed: 11, count: 1_500, fromMs: NOW - 9 * DAY, toMs: NOW }),
  ...createSeededCalls({ seed: 12, count: 1_000, fromMs: NOW - 3 * HOUR, toMs: NOW }),
  ...createSeededCalls({ seed: 13, count: 1_000, fromMs: NOW - 7 * DAY - 3 * HOUR, toMs: NOW - 7 * DAY }),
];

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
});

afterAll(() => engine?.stop());

const RETENTION = { nowMs: Date.UTC(2026, 10, 21, 12), rawDays: 30 };
const day = (month: number, date: number, hour = 0) => Date.UTC(2026, month - 1, date, hour);

describe('toComparisonRange', () => {
  test.each<[OracleRange, Comparison, OracleRange, string]>([
    [
      { fromMs: day(11, 20), toMs: day(11, 21) },
      'prev',
      { fromMs: day(11, 19), toMs: day(11, 20) },
      'the day before ends where the day starts',
    ],
    [
      { fromMs: day(11, 20), toMs: day(11, 21) },
      'week',
      { fromMs: day(11, 13), toMs: day(11, 14) },
      'a Friday lies beside a Friday',
    ],
    [
      { fromMs: day(11, 14, 11), toMs: day(11, 21, 12) },
      'week',
      { fromMs: day(11, 7, 11), toMs: day(11, 14, 12) },
      'a week rounded to hours is still a week',
    ],
    [
      { fromMs: day(10, 22), toMs: day(11, 21) },
      'week',
      { fromMs: day(9, 17), toMs: day(10, 17) },
      'thirty days go back five weeks, so that they do not overlap',
    ],
    [
      { fromMs: day(10, 25, 8), toMs: day(10, 25, 12) },
      'week',
      { fromMs: day(10, 18, 8), toMs: day(10, 18, 12) },
      'the clocks changed in between, and a week is 168 hours of UTC all the same',
    ],
  ])('the range %j by %s is compared with %j, because %s', (range, compare, expected) => {
    const found = toComparisonRange(range, compare, RETENTION);
    expect(found?.range).toEqual(expected);
    expect(found?.shiftMs).toBe(range.fromMs - expected.fromMs);
  });

  test('a range at the epoch has no comparison range', () => {
    expect(toComparisonRange({ fromMs: HOUR, toMs: 3 * HOUR }, 'prev', RETENTION)).toBeUndefined();
  });
});

const COMPARES = ['prev', 'week'] as const;
const FILTERS: readonly OracleFilters[] = [
  {},
  { server: 'files' },
  { client: 'cursor' },
  { version: '1.1.0' },
];
const REQUESTED_RANGE = { fromMs: NOW - 2 * HOUR, toMs: NOW - HOUR / 2 };

/** Minutes outward, then moved by hand. */
function earlierRange(compare: Comparison): { used: OracleRange; before: OracleRange } {
  const used = {
    fromMs: Math.floor(REQUESTED_RANGE.fromMs / MINUTE) * MINUTE,
    toMs: Math.ceil(REQUESTED_RANGE.toMs / MINUTE) * MINUTE,
  };
  const shift = compare === 'week' ? 7 * DAY : used.toMs - used.fromMs;
  return { used, before: { fromMs: used.fromMs - shift, toMs: used.toMs - shift } };
}

describe.each(COMPARES)('comparison by %s', (compare) => {
  test.each(sampleCases(FILTERS, 3))(
    'the totals of the comparison range agree with the oracle by %j',
    async (filters) => {
      const { before } = earlierRange(compare);
      const { previous, previousRange } = SummaryResponse.parse(
        await queries.summary({ ...filters, range: REQUESTED_RANGE, compare }),
      );
      const own = toolCalls(calls, before, filters);
      const held = listSessions(calls, before, filters);
      expect(previousRange).toEqual(before);
      expect(own.length).toBeGreaterThan(0);
      expect(previous).toMatchObject({
        calls: own.length,
        errors: failedCalls(own).length,
        sessions: held.length,
        sessionsOverThirty: held.filter((one) => one.calls > 30).length,
      });
      const exact = nearestRank(own, 0.95) ?? 0;
      expect(previous.p95Ms).toBeLessThanOrEqual(exact * 1.000_001);
      expect(previous.p95Ms).toBeGreaterThanOrEqual(exact * 0.992);
    },
  );

  test.each(sampleCases(FILTERS, 3))(
    'each line of a chart has its line of the comparison range, by %j',
    async (filters) => {
      const { used, before } = earlierRange(compare);
      const answer = SeriesResponse.parse(
        await queries.series({
          ...filters,
          range: REQUESTED_RANGE,
          metric: 'errorRate',
          by: 'tool',
          compare,
        }),
      );
      const { compared, series, bucketSeconds } = answer;
      const shift = used.fromMs - before.fromMs;
      expect(compared?.shiftMs).toBe(shift);
      expect(compared?.series.map(({ key }) => key)).toEqual(series.map(({ key }) => key));
      const own = toolCalls(calls, before, filters);
      let told = 0;
      for (const { key, points } of compared?.series ?? []) {
        for (const [start, value, n] of points) {
          const here = own.filter((call) => {
            const movedMs = call.startedUs / 1_000 + shift;
            const name = key.includes('/') ? `${call.server_name}/${call.tool_name}` : call.tool_name;
            return name === key && movedMs >= start && movedMs < start + bucketSeconds * 1_000;
          });
          expect([value, n]).toEqual(
            here.length === 0 ? [null, 0] : [failedCalls(here).length / here.length, here.length],
          );
          told += n;
        }
      }
      expect(told).toBeGreaterThan(0);
    },
  );

  test('the remaining tools are one line in the comparison range too, and no call is lost', async () => {
    const { before } = earlierRange(compare);
    const { compared } = await queries.series({
      range: REQUESTED_RANGE,
      metric: 'calls',
      by: 'tool',
      compare,
    });
    const sum = compared?.series.flatMap(({ points }) => points).reduce((total, [, , n]) => total + n, 0);
    expect(sum).toBe(toolCalls(calls, before).length);
  });
});

test('a comparison range whose minutes have expired is absent instead of zero', async () => {
  const range = { fromMs: NOW - 20 * DAY, toMs: NOW };
  const { previous, previousRange } = await queries.summary({ client: 'cursor', range });
  expect([previousRange, previous.calls, previous.errorRate]).toEqual([null, 0, null]);
  const { compared } = await queries.series({
    client: 'cursor',
    range,
    metric: 'calls',
    by: 'tool',
    compare: 'prev',
  });
  expect(compared).toBeUndefined();
});
