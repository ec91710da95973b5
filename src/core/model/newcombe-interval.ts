// Confidence interval of the difference of two shares, from the Wilson intervals of both.

import { type Interval, toWilsonInterval } from './wilson-interval.ts';

export interface ShareCount {
  readonly hits: number;
  /** Greater than 0. */
  readonly n: number;
}

/**
 * Calculates the 95 % interval of the share of `after` minus that of `before`.
 *
 * @see Newcombe 1998, method 10 (hybrid score)
 */
export function toNewcombeInterval(before: ShareCount, after: ShareCount): Interval {
  const [one, other] = [before, after].map(({ hits, n }) => ({
    value: hits / n,
    ...toWilsonInterval(hits, n),
  }));
  if (!one || !other) return { low: -1, high: 1 };
  const difference = other.value - one.value;
  return {
    low: difference - Math.hypot(other.value - other.low, one.high - one.value),
    high: difference + Math.hypot(other.high - other.value, one.value - one.low),
  };
}
