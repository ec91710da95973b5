import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toProportion } from '../../../../src/service/queries/query/proportion.ts';

describe('toProportion', () => {
  test.each([
    [0, 10, 0, 0.2775, 'none in ten is not never'],
    [10, 10, 0.7225, 1, 'all of ten is not always'],
    [5, 10, 0.2366, 0.7634, 'half of few is nearly anything'],
    [31, 140, 0.1608, 0.2972, 'more calls say more'],
    [220, 1000, 0.1954, 0.2467, 'and more still'],
  ])('the share of %i in %i lies between %f and %f, because %s', (hits, n, low, high) => {
    const share = toProportion(hits, n);
    expect(share.value).toBe(hits / n);
    expect(share.low).toBeCloseTo(low, 3);
    expect(share.high).toBeCloseTo(high, 3);
  });

  test('the share of nothing in nothing is null', () => {
    expect(toProportion(0, 0)).toEqual({ value: null, n: 0, low: null, high: null });
  });

  test('the interval of a share contains its value and lies between 0 and 1', () => {
    const counts = fc
      .integer({ min: 1, max: 1e7 })
      .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
    fc.assert(
      fc.property(counts, ([hits, n]) => {
        const { value, low, high } = toProportion(hits, n);
        expect(low).toBeLessThanOrEqual(value ?? Number.NaN);
        expect(high).toBeGreaterThanOrEqual(value ?? Number.NaN);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
      }),
    );
  });
});
