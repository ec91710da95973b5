// A proportion as every response gives it: value, n and confidence interval.

import type { Proportion } from '../../../contract/fields.ts';
import { toWilsonInterval } from '../../../core/model/wilson-interval.ts';

/**
 * The share of `hits` in `n`, with its 95 % interval.
 *
 * @param hits from 0 to `n`
 * @returns all null if `n` is 0
 */
export function toProportion(hits: number, n: number): Proportion {
  if (n === 0) return { value: null, n, low: null, high: null };
  return { value: hits / n, n, ...toWilsonInterval(hits, n) };
}

/** Calls and errors of a period. */
export interface ErrorCount {
  readonly calls: number;
  readonly errors: number;
}
