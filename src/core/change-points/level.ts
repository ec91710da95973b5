// The usual share of failed or slow calls, and the log-likelihood ratios of the alternatives to it.

import { FALLING_ODDS, LEVEL_ERRORS, LEVEL_TOLERANCE, RISING_ODDS } from './thresholds.ts';

/** Log-likelihood ratios of one call. */
interface CallWeights {
  readonly hit: number;
  readonly miss: number;
}

/** A usual share, with its tests. */
export interface Level {
  readonly share: number;
  /** Variance relative to that of independent calls; at least 1. Log-likelihoods are divided by it. */
  readonly dispersion: number;
  readonly rise: readonly CallWeights[];
  readonly fall: readonly CallWeights[];
}

export interface LevelEstimate {
  readonly share: number;
  /** Calls that the estimate is of. */
  readonly calls: number;
  readonly dispersion: number;
}

/**
 * Each alternative is compared with the edge of what is still usual: the level, its tolerance and some standard
 * errors. The likelihood ratio is monotone in the share, so every share up to the edge keeps the false-alarm
 * rate.
 */
export function createLevel({ share, calls, dispersion }: LevelEstimate): Level {
  const margin =
    share * LEVEL_TOLERANCE +
    LEVEL_ERRORS * Math.sqrt((dispersion * share * (1 - share)) / Math.max(1, calls));
  const [upper, lower] = [clampShare(share + margin), clampShare(share - margin)];
  return {
    ...{ share, dispersion },
    rise: RISING_ODDS.map((factor) => toWeights(upper, toOdds(upper) * factor, dispersion)),
    fall: FALLING_ODDS.map((factor) => toWeights(lower, toOdds(lower) * factor, dispersion)),
  };
}

/** Share of `hits` in `calls` that is neither 0 nor 1, which no number of calls proves. */
export const toShare = (hits: number, calls: number): number => (hits + 0.5) / (calls + 1);

/**
 * Log-likelihood ratio of "as usual again" against "halfway to the change", in odds.
 *
 * @param change odds of the change relative to the usual ones
 */
export function toReturnRatio(
  { calls, hits }: { readonly calls: number; readonly hits: number },
  { share, dispersion }: Level,
  change: number,
): number {
  const usual = toOdds(clampShare(share * (change > 1 ? 1 + LEVEL_TOLERANCE : 1 - LEVEL_TOLERANCE)));
  const halfway = usual * Math.sqrt(change);
  const weights = toWeights(halfway / (1 + halfway), usual, dispersion);
  return hits * weights.hit + (calls - hits) * weights.miss;
}

export const toOdds = (share: number): number => share / (1 - share);

export const toRatios = (
  weights: readonly CallWeights[],
  { calls, hits }: { readonly calls: number; readonly hits: number },
): number[] => weights.map(({ hit, miss }) => hits * hit + (calls - hits) * miss);

const clampShare = (share: number): number => Math.min(0.97, Math.max(0.0002, share));

function toWeights(from: number, odds: number, dispersion: number): CallWeights {
  const to = odds / (1 + odds);
  return {
    hit: Math.log(to / from) / dispersion,
    miss: Math.log((1 - to) / (1 - from)) / dispersion,
  };
}
