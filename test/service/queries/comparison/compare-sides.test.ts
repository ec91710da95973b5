import { describe, expect, test } from 'vitest';
import { toNewcombeInterval } from '../../../../src/core/model/newcombe-interval.ts';
import {
  compareEvents,
  comparePercentiles,
  compareShares,
  joinVerdicts,
  NO_CALLS,
  PERCENTILE_LEVELS,
  type SideStats,
} from '../../../../src/service/queries/comparison/compare-sides.ts';

test("the interval of a difference is Newcombe's: 56 of 70 against 48 of 80", () => {
  const { low, high } = toNewcombeInterval({ hits: 48, n: 80 }, { hits: 56, n: 70 });
  expect([low, high].map((bound) => Number(bound.toFixed(4)))).toEqual([0.0524, 0.3339]);
});

describe('two shares of failed calls', () => {
  test.each<[string, number, number, number, number, string]>([
    ['better', 40, 400, 12, 400, 'the interval of the difference is below 0'],
    ['worse', 12, 400, 40, 400, 'it is above 0'],
    ['no_difference', 20, 400, 24, 400, 'it contains 0'],
    ['too_few', 0, 15, 9, 400, 'one side has fewer than 20 calls'],
  ])('are %s for %d of %d before and %d of %d after: %s', (verdict, hits, n, hitsAfter, nAfter) => {
    const sides = { before: { hits, n }, after: { hits: hitsAfter, n: nAfter } };
    expect(compareShares(sides, 'lower').verdict).toBe(verdict);
  });

  test('have no difference without calls', () => {
    const compared = compareShares({ before: { hits: 0, n: 0 }, after: { hits: 3, n: 30 } }, 'lower');
    expect(compared).toMatchObject({ difference: null, verdict: 'too_few', before: { value: null } });
  });
});

/** Latencies spread evenly up to a greatest one. */
const toSide = (timed: number, greatestMs: number): SideStats => ({
  ...NO_CALLS,
  ...{ timed, percentiles: PERCENTILE_LEVELS.map((level) => level * greatestMs * 1_000) },
});

describe('two p95', () => {
  test.each<[string, number, number, string]>([
    ['worse', 1_000, 2_000, 'the intervals are apart'],
    ['better', 1_000, 500, 'the intervals are apart'],
    ['no_difference', 1_000, 1_050, 'it is less than a tenth slower'],
    ['too_few', 40, 2_000, 'there are fewer than 50 calls'],
  ])('are %s with %d calls and %d ms instead of 1000: %s', (verdict, timed, greatestMs) => {
    const compared = comparePercentiles({ before: toSide(timed, 1_000), after: toSide(timed, greatestMs) });
    expect(compared.verdict).toBe(verdict);
  });

  test('have bounds that contain the interval of the rank', () => {
    const { after } = comparePercentiles({ before: toSide(500, 1_000), after: toSide(500, 1_000) });
    // The ranks are 95 % of 500 calls and 1.9 % on each side of it.
    expect([after.lowMs, after.ms, after.highMs]).toEqual([925, 950, 975]);
  });
});

test.each<[string, [number, number], [number, number], string]>([
  ['worse', [2, 30], [1_000, 1_000], 'nearly all loops are in half of the calls'],
  ['no_difference', [3, 6], [1_000, 2_000], 'twice the calls have twice the loops'],
  ['no_difference', [0, 0], [1_000, 1_000], 'there are none'],
  ['too_few', [0, 9], [5, 1_000], 'one side has hardly any calls'],
])('loops are %s with %j in %j calls: %s', (verdict, [before, after], [callsBefore, callsAfter]) => {
  expect(compareEvents({ before, after }, { before: callsBefore, after: callsAfter })).toBe(verdict);
});

test('a whole is worse if one part of it is, and better if one is and none is worse', () => {
  expect(joinVerdicts(['better', 'worse', 'too_few'])).toBe('worse');
  expect(joinVerdicts(['no_difference', 'better'])).toBe('better');
  expect(joinVerdicts(['too_few', 'too_few'])).toBe('too_few');
});
