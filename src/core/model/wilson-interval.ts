// Confidence interval of a share. Wilson's interval, because the normal approximation gives "0 ± 0" for 0 of
// 5.

/** Quantile of the standard normal distribution for 95 %. */
const Z_95 = 1.959964;

/** Both bounds are fractions from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Calculates the 95 % interval of the share of `hits` in `n`.
 *
 * @param hits from 0 to `n`
 * @param n greater than 0
 * @see Wilson 1927; Brown, Cai and DasGupta 2001 compare it with alternatives
 */
export function toWilsonInterval(hits: number, n: number): Interval {
  const value = hits / n;
  const z2 = Z_95 * Z_95;
  const middle = (value + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((value * (1 - value)) / n + z2 / (4 * n * n));
  // At 0 and 1, rounding may leave a bound slightly inside the value.
  return {
    low: hits === 0 ? 0 : Math.max(0, middle - half),
    high: hits === n ? 1 : Math.min(1, middle + half),
  };
}
