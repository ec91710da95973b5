// What a figure of an answer must be, given the rows it is of: exact for counts, within the promise for sketches and intervals.
import { expect } from 'vitest';
import type { DatasetCall } from '../dataset/dataset.ts';

/** A sketch errs downward by at most 0.8 %. */
export function expectPercentile(actual: number | null, exact: number | null, because = ''): void {
  if (exact === null) return void expect(actual, because).toBeNull();
  expect(actual, because).not.toBeNull();
  expect(actual, because).toBeLessThanOrEqual(exact * 1.000_001);
  expect(actual, because).toBeGreaterThanOrEqual(exact * 0.992);
}

/** Wilson's interval of 95 %, from the formula. */
function wilson(k: number, n: number): { low: number; high: number } {
  const z = 1.959_963_984_540_054;
  const p = k / n;
  const middle = p + z ** 2 / (2 * n);
  const half = z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  return { low: (middle - half) / (1 + z ** 2 / n), high: (middle + half) / (1 + z ** 2 / n) };
}

/** A share of `k` in `n` as every answer gives it. */
export function expectedProportion(k: number, n: number): object {
  if (n === 0) return { value: null, n: 0, low: null, high: null };
  const { low, high } = wilson(k, n);
  return {
    value: expect.closeTo(k / n, 12),
    n,
    low: expect.closeTo(Math.max(0, low), 5),
    high: expect.closeTo(Math.min(1, high), 5),
  };
}

/** A quarter of the bytes of a success, at nearest rank. */
export function expectResultTokens(actual: number | null, own: readonly DatasetCall[]): void {
  const sizes = own
    .filter(({ outcome, result_bytes }) => outcome === 'ok' && result_bytes > 0)
    .map(({ result_bytes }) => result_bytes)
    .sort((a, b) => a - b);
  const exact = sizes[Math.max(0, Math.ceil(0.95 * sizes.length) - 1)];
  if (exact === undefined) return void expect(actual).toBeNull();
  expect(actual).toBeLessThanOrEqual(Math.ceil(exact / 4));
  expect(actual).toBeGreaterThanOrEqual(Math.floor((exact * 0.992) / 4));
}

/** Microseconds since the epoch of a time with six decimals. */
export function toEpochUs(iso: string): number {
  return Date.parse(`${iso.slice(0, 23)}Z`) * 1_000 + Number(iso.slice(23, 26));
}
