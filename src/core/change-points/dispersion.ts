// How much more the calls of an hour vary than independent ones would: Pearson's chi-squared per degree of
// freedom (Wedderburn 1974). Agents call in sessions, and slow minutes come together.

/** Decayed sum of chi-squared values of hours, with their weight. */
export interface DispersionState {
  sum: number;
  weight: number;
  /** Hours that are too small on their own, added up. */
  hits: number;
  usual: number;
  variance: number;
}

/** Hours of independent calls that are assumed before any was seen. */
const PRIOR_WEIGHT = 6;
/** Keeps one extraordinary hour from hiding later changes. */
const MAX_CHI_SQUARED = 16;
const MIN_VARIANCE = 2;
const DECAY = 0.995;

export const createDispersion = (): DispersionState => ({
  sum: 0,
  weight: 0,
  hits: 0,
  usual: 0,
  variance: 0,
});

/** At least 1. */
export const toDispersion = ({ sum, weight }: DispersionState): number =>
  Math.max(1, (sum + PRIOR_WEIGHT) / (weight + PRIOR_WEIGHT));

/** @param hour what was seen, what is usual, and its variance if calls were independent */
export function addHour(
  state: DispersionState,
  hour: { readonly hits: number; readonly usual: number; readonly variance: number },
): void {
  state.hits += hour.hits;
  state.usual += hour.usual;
  state.variance += hour.variance;
  if (state.variance < MIN_VARIANCE) return;
  const squared = (state.hits - state.usual) ** 2 / state.variance;
  state.sum = state.sum * DECAY + Math.min(MAX_CHI_SQUARED, squared);
  state.weight = state.weight * DECAY + 1;
  Object.assign(state, { hits: 0, usual: 0, variance: 0 });
}
