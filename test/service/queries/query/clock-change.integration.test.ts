// Figures over a change of the clocks. Buckets and ranges are stretches of time, so nothing may be counted twice in the hour that
// comes twice, and nothing be missed in the hour that does not come: the rows are counted again by what a wall clock showed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { createSeededCalls, type SeededCall, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { failedCalls, groupBy, listSessions, toolCalls } from '../../../support/oracle/call-stats.ts';
import { sampleCases } from '../../../support/property-runs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let engine: TestEngine;
const calls: SeededCall[] = [];

/** A day on which the clocks change, with how many hours it has there. */
const DAYS: readonly (readonly [zone: string, day: string, hours: number])[] = [
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['America/New_York', '2026-03-08', 23],
  ['America/New_York', '2026-11-01', 25],
  ['Australia/Lord_Howe', '2026-10-04', 23.5],
];

beforeAll(async () => {
  engine = await startTestEngine();
  // These days are in the past or will be: the tables must not forget them by the clock on the wall.
  for (const table of ['calls', 'tool_minutes', 'tool_hours', 'sessions'])
    await engine.store.command(`ALTER TABLE ${table} REMOVE TTL`);
  for (const [at, [, day]] of DAYS.entries()) {
    const noon = Date.parse(`${day}T12:00:00Z`);
    const more = createSeededCalls({
      seed: 40 + at,
      count: 900,
      fromMs: noon - 2 * DAY,
      toMs: noon + 2 * DAY,
    });
    calls.push(...more);
    await insertRows(engine.store, 'calls', more.map(toStoredRow));
  }
});

afterAll(() => engine.stop());

/** As the service would be asked some days later. */
function createQueriesAt(nowMs: number): Queries {
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  return createQueries({ store: engine.store, clock: () => nowMs, freshness });
}

/** What a clock on the wall of that zone shows: `2026-10-25 02`. */
function wallHour(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' },
  }).format(ms);
  return parts.replace(/\s(\d\d).*$/, ' $1');
}

const wallDay = (ms: number, zone: string): string => wallHour(ms, zone).slice(0, 10);

/** Midnight there, found by looking at the clock every half hour. */
function midnight(day: string, zone: string): number {
  let at = Date.parse(`${day}T00:00:00Z`) - 15 * HOUR;
  while (wallDay(at, zone) < day) at += HOUR / 2;
  return at;
}

const CASES = DAYS.flatMap(([zone, day, hours]) =>
  (['calls', 'hours'] as const).map((kept) => ({
    zone,
    day,
    hours,
    kept,
    name: `${day} in ${zone} while ${kept} are kept`,
  })),
);

/** The day itself; where only hours are kept, rounded outward to them, as the answer says. */
function toDayRange({ zone, day, kept }: (typeof CASES)[number]) {
  const fromMs = midnight(day, zone);
  let toMs = fromMs;
  while (wallDay(toMs, zone) === day) toMs += HOUR / 2;
  const step = kept === 'hours' ? HOUR : 60_000;
  const used = { fromMs: Math.floor(fromMs / step) * step, toMs: Math.ceil(toMs / step) * step };
  return {
    range: { fromMs, toMs },
    used,
    queries: createQueriesAt(toMs + (kept === 'hours' ? 50 : 2) * DAY),
  };
}

describe('day of a clock change', () => {
  test.each(sampleCases(CASES, 3))(
    'the numbers of the day are those of its own hours: $name',
    async (one) => {
      const { range, used, queries } = toDayRange(one);
      expect((range.toMs - range.fromMs) / HOUR).toBe(one.hours);
      const { totals, range: answered } = await queries.summary({ range });
      expect(answered).toEqual(used);
      const own = toolCalls(calls, used);
      expect(own.length).toBeGreaterThan(80);
      // By the wall clock of the zone, not by instants; a day of whole hours is the very range.
      const byWall = toolCalls(calls, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER / 1_000 }).filter(
        ({ startedUs }) => wallDay(startedUs / 1_000, one.zone) === one.day,
      );
      if (used.fromMs === range.fromMs && used.toMs === range.toMs) expect(own.length).toBe(byWall.length);
      expect([totals.calls, totals.errors]).toEqual([own.length, failedCalls(own).length]);
      if (one.kept === 'calls') expect(totals.sessions).toBe(listSessions(calls, used).length);
      const { tools } = await queries.tools({ range });
      expect(tools.reduce((sum, row) => sum + row.calls, 0)).toBe(own.length);
      expect(tools[0]?.callsPerMinute).toBeCloseTo(
        (tools[0]?.calls ?? 0) / ((used.toMs - used.fromMs) / 60_000),
        12,
      );
    },
  );

  test.each(sampleCases(CASES, 3))(
    'the chart of the day has the calls of every hour that a clock showed: $name',
    async (one) => {
      const { range, used, queries } = toDayRange(one);
      const { series, bucketSeconds } = await queries.series({ range, metric: 'calls', by: 'server' });
      const starts = series[0]?.points.map(([at]) => at) ?? [];
      const gaps = new Set(starts.slice(1).map((at, before) => at - (starts[before] ?? 0)));
      expect([...gaps]).toEqual([bucketSeconds * 1_000]);
      const own = toolCalls(calls, used);
      const inChart = new Map<string, number>();
      for (const [at, , n] of series.flatMap(({ points }) => points)) {
        const hour = wallHour(at, one.zone);
        inChart.set(hour, (inChart.get(hour) ?? 0) + n);
      }
      expect([...inChart.values()].reduce((sum, n) => sum + n, 0)).toBe(own.length);
      // A bucket that lies across an hour of that zone cannot be told by it.
      if (3_600 % bucketSeconds !== 0 || one.hours % 1 !== 0) return;
      const byWall = groupBy(own, ({ startedUs }) => wallHour(startedUs / 1_000, one.zone));
      for (const [hour, n] of inChart) expect([hour, n]).toEqual([hour, byWall.get(hour)?.length ?? 0]);
      expect(inChart.size).toBe(one.hours === 25 ? 24 : one.hours);
    },
  );

  test('a day after a clock change is compared with the day exactly 168 hours earlier, an hour off in local time', async () => {
    const fromMs = midnight('2026-10-26', 'Europe/Berlin');
    const range = { fromMs, toMs: fromMs + DAY };
    const { previousRange } = await createQueriesAt(fromMs + 2 * DAY).summary({ range, compare: 'week' });
    expect(previousRange).toEqual({ fromMs: fromMs - 7 * DAY, toMs: range.toMs - 7 * DAY });
    expect(wallHour(previousRange?.fromMs ?? 0, 'Europe/Berlin')).toBe('2026-10-19 01');
  });
});

describe('month with a clock change', () => {
  test.each(['2026-03-29', '2026-10-25'])(
    'a month with the clock change of %s counts every call once',
    async (day) => {
      const noon = Date.parse(`${day}T12:00:00Z`);
      const range = { fromMs: midnight(day, 'Europe/Berlin') - 70 * DAY, toMs: noon + 3 * DAY };
      const questions = createQueriesAt(range.toMs);
      const {
        series,
        bucketSeconds,
        range: used,
      } = await questions.series({ range, metric: 'calls', by: 'tool' });
      expect(bucketSeconds).toBe(86_400);
      // Days of a chart begin at midnight in UTC, whatever the zone of the reader; its times say so.
      for (const [at] of series[0]?.points ?? []) expect(at % DAY).toBe(0);
      const own = toolCalls(calls, used);
      expect(series.flatMap(({ points }) => points).reduce((sum, [, , n]) => sum + n, 0)).toBe(own.length);
    },
  );
});
