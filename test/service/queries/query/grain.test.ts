// Which range is used and which table answers: tables of the rule, and what must hold for any range at all.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chooseBucketSeconds,
  listBucketStarts,
  MAX_BARS,
} from '../../../../src/service/queries/query/bucket.ts';
import type { Filters } from '../../../../src/service/queries/query/filters.ts';
import {
  alignRange,
  chooseGrain,
  chooseGrainFor,
  type Grain,
  hasCalls,
  isKept,
  toFinestBucketSeconds,
  toPreviousRange,
} from '../../../../src/service/queries/query/grain.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 5, 15, 10, 20, 30, 400);
const RETENTION = { nowMs: NOW, rawDays: 30 };
const at = (hour: number, minute = 0, second = 0) => Date.UTC(2026, 5, 15, hour, minute, second);
const rangeBack = (ms: number) => ({ fromMs: NOW - ms, toMs: NOW });

const RANGES: readonly (readonly [because: string, asked: [number, number], used: [number, number]])[] = [
  ['the running minute belongs to a range that ends now', [at(9, 20, 30), NOW], [at(9, 20), at(10, 21)]],
  ['whole minutes stay as they are', [at(9, 20), at(9, 50)], [at(9, 20), at(9, 50)]],
  ['an instant becomes its minute', [at(9, 20, 5), at(9, 20, 6)], [at(9, 20), at(9, 21)]],
  ['48 hours keep their minutes', [NOW - 48 * HOUR, NOW], [at(10, 20) - 48 * HOUR, at(10, 21)]],
  ['beyond 48 hours only whole hours count', [NOW - 49 * HOUR, NOW], [at(10) - 49 * HOUR, at(11)]],
  [
    'where the minutes are gone only whole hours count',
    [at(9, 20) - 40 * DAY, at(9, 50) - 40 * DAY],
    [at(9) - 40 * DAY, at(10) - 40 * DAY],
  ],
  ['the future has not happened', [at(9), at(23)], [at(9), at(10, 21)]],
  ['no rollup is older than thirteen months', [0, NOW], [at(10) - 400 * DAY, at(11)]],
];

const GRAINS: readonly (readonly [
  Grain,
  because: string,
  filters: Filters,
  range: { fromMs: number; toMs: number },
])[] = [
  ['hours', 'the range is whole hours', {}, { fromMs: at(3), toMs: at(9) }],
  ['minutes', 'an edge is within an hour', {}, { fromMs: at(3), toMs: at(9, 20) }],
  ['minutes', 'hours do not know clients', { client: 'cursor' }, { fromMs: at(3), toMs: at(9) }],
  ['minutes', 'hours do not know versions', { version: '1' }, { fromMs: at(3), toMs: at(9) }],
  ['calls', 'only calls know plans', { plan: 'p' }, { fromMs: at(3), toMs: at(9) }],
  [
    'hours',
    'servers, environments and tools are known everywhere',
    { server: 's', environment: 'e', tool: 't' },
    { fromMs: at(3), toMs: at(9) },
  ],
];

const anyRange = fc
  .tuple(fc.integer({ min: 0, max: 500 * DAY }), fc.integer({ min: 1, max: 500 * DAY }))
  .map(([ago, length]) => ({ fromMs: NOW - ago - length, toMs: NOW - ago }));

describe('alignRange', () => {
  test.each(RANGES)('a requested range is aligned, because %s', (_because, [fromMs, toMs], used) => {
    const range = alignRange({ fromMs, toMs }, RETENTION);
    expect([range.fromMs, range.toMs]).toEqual(used);
  });

  test('an aligned range covers the requested one with less than an hour more on each side, and stays aligned', () => {
    fc.assert(
      fc.property(anyRange, (asked) => {
        const used = alignRange(asked, RETENTION);
        const fromMs = Math.max(asked.fromMs, asked.toMs - 400 * DAY);
        expect(used.fromMs).toBeLessThanOrEqual(fromMs);
        expect(used.toMs).toBeGreaterThanOrEqual(asked.toMs);
        expect(fromMs - used.fromMs).toBeLessThan(HOUR);
        expect(used.toMs - asked.toMs).toBeLessThan(HOUR);
      }),
    );
  });

  test('an aligned range can be read without filters, from minutes only while these are kept', () => {
    fc.assert(
      fc.property(anyRange, (asked) => {
        const used = alignRange(asked, RETENTION);
        const grain = chooseGrain(used, {}, RETENTION);
        expect(grain === 'hours' || hasCalls(used, RETENTION)).toBe(true);
        if (grain === 'hours') expect([used.fromMs % HOUR, used.toMs % HOUR]).toEqual([0, 0]);
      }),
    );
  });

  test('an aligned range has a previous range of equal length', () => {
    expect(toPreviousRange({ fromMs: at(6, 1), toMs: at(9, 1) }, RETENTION)).toEqual({
      fromMs: at(3, 1),
      toMs: at(6, 1),
    });
  });

  test('the previous range consists of whole hours if its minutes have expired', () => {
    const range = { fromMs: at(9, 20) - 29 * DAY, toMs: at(9, 20) - 27.5 * DAY };
    expect(toPreviousRange(range, RETENTION)).toEqual({ fromMs: at(21) - 31 * DAY, toMs: at(10) - 29 * DAY });
  });
});

describe('chooseGrain', () => {
  test.each(GRAINS)('the chosen grain is %s, because %s', (grain, _because, filters, range) => {
    expect(chooseGrain(range, filters, RETENTION)).toBe(grain);
  });

  test('no grain is available if the data that a filter needs has expired', () => {
    const range = alignRange(rangeBack(31 * DAY), RETENTION);
    expect(isKept(range, { client: 'cursor' }, RETENTION)).toBe(false);
    expect(isKept(range, { tool: 't' }, RETENTION)).toBe(true);
    expect(() => chooseGrain(range, { client: 'cursor' }, RETENTION)).toThrow(
      'Parameter "client" needs single calls or minutes',
    );
    expect(isKept(alignRange(rangeBack(30 * DAY), RETENTION), { client: 'cursor' }, RETENTION)).toBe(true);
  });

  test('the grain of a chart is as fine as its buckets', () => {
    const range = { fromMs: at(3), toMs: at(9) };
    const of = (bucketSeconds: number) =>
      chooseGrainFor(bucketSeconds, { range, filters: {}, retention: RETENTION });
    expect([of(30), of(60), of(1_800), of(3_600)]).toEqual(['calls', 'minutes', 'minutes', 'hours']);
    expect(chooseGrainFor(3_600, { range, filters: { plan: 'p' }, retention: RETENTION })).toBe('calls');
  });
});

describe('buckets', () => {
  test('a range has 30 to 120 buckets wherever calls are kept', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 * DAY }), (length) => {
        const range = alignRange(rangeBack(length), RETENTION);
        const points = listBucketStarts(
          range,
          chooseBucketSeconds(range, toFinestBucketSeconds(range, RETENTION)),
        ).length;
        expect(points).toBeGreaterThanOrEqual(30);
        expect(points).toBeLessThanOrEqual(120);
      }),
    );
  });

  test.each([
    ['5 minutes', 5 / 60],
    ['15 minutes', 0.25],
    ['an hour', 1],
    ['6 hours', 6],
    ['12 hours', 12],
    ['a day', 24],
    ['two days', 48],
    ['a week', 7 * 24],
    ['a fortnight', 14 * 24],
    ['30 days', 30 * 24],
  ])('%s have 30 to 80 bars', (_, hours) => {
    const range = alignRange(rangeBack(hours * 60 * MINUTE), RETENTION);
    const width = chooseBucketSeconds(range, toFinestBucketSeconds(range, RETENTION), MAX_BARS);
    expect(listBucketStarts(range, width).length).toBeGreaterThanOrEqual(30);
    expect(listBucketStarts(range, width).length).toBeLessThanOrEqual(80);
  });

  test('a range has at most 120 buckets, of an hour or more where only hours are kept', () => {
    fc.assert(
      fc.property(anyRange, (asked) => {
        const range = alignRange(asked, RETENTION);
        const width = chooseBucketSeconds(range, toFinestBucketSeconds(range, RETENTION));
        expect(listBucketStarts(range, width).length).toBeLessThanOrEqual(120);
        if (!hasCalls(range, RETENTION)) expect(width % 3_600).toBe(0);
      }),
    );
  });

  test('the buckets of a moving range keep their boundaries a minute later', () => {
    const [first, next] = [0, MINUTE].map((later) =>
      listBucketStarts({ fromMs: at(9) + later, toMs: at(10) + later }, 300),
    );
    expect(first?.slice(1)).toEqual(next?.slice(1, -1));
    expect(first?.[0]).toBe(at(9));
  });
});
