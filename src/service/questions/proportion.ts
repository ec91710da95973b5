// A share as every answer gives it: its value, its n, and the interval it may lie in. Wilson's interval, because the usual one
// says "0 ± 0" of none in five.

import type { Proportion } from '../../contract/tool.ts';

/** Of the standard normal distribution, for 95 %. */
const Z = 1.959964;

/**
 * The share of `hits` in `n`, with its 95 % Wilson interval.
 *
 * @param hits from 0 to `n`
 * @returns all null where `n` is 0
 * @see Wilson 1927; Brown, Cai and DasGupta 2001 compare it with the others
 */
export function toProportion(hits: number, n: number): Proportion {
  if (n === 0) return { value: null, n, low: null, high: null };
  const value = hits / n;
  const z2 = Z * Z;
  const middle = (value + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt((value * (1 - value)) / n + z2 / (4 * n * n));
  // Rounding may leave the ends a hair inside of the value where it is 0 or 1.
  return {
    value,
    n,
    low: hits === 0 ? 0 : Math.max(0, middle - half),
    high: hits === n ? 1 : Math.min(1, middle + half),
  };
}
