// The usual number of calls in each hour of the week, so that the rhythm of day and week is not a change.

import { addHour, createDispersion, type DispersionState, toDispersion } from './dispersion.ts';
import {
  FALLING_RATES,
  MIN_RATE_HOURS,
  RATE_HALF_LIFE_HOURS,
  RATE_TOLERANCE,
  RISING_RATES,
} from './thresholds.ts';

const HOURS_PER_WEEK = 168;
const DECAY = 0.5 ** (HOURS_PER_WEEK / RATE_HALF_LIFE_HOURS);

export interface UsualRateState {
  /** Decayed calls and weights of each hour of the week. */
  readonly calls: number[];
  readonly weights: number[];
  hours: number;
  /** The hour in progress. */
  hour: number;
  current: number;
  readonly dispersion: DispersionState;
}

export function createUsualRate(hour: number): UsualRateState {
  const zeros = (): number[] => Array.from({ length: HOURS_PER_WEEK }, () => 0);
  return { calls: zeros(), weights: zeros(), hours: 0, hour, current: 0, dispersion: createDispersion() };
}

/** Counts calls of a minute; each session counts at most a few per minute. */
export function countCalls(state: UsualRateState, calls: number): void {
  state.current += calls;
}

/** Ends the hour in progress; the hour of a change is not usual. */
export function startRateHour(state: UsualRateState, hour: number, isChanged: boolean): void {
  const slot = state.hour % HOURS_PER_WEEK;
  if (!isChanged) {
    const usual = isRateKnown(state) ? toHourlyCalls(state, slot) : undefined;
    if (usual !== undefined)
      addHour(state.dispersion, { hits: state.current, usual, variance: Math.max(1, usual) });
    state.calls[slot] = (state.calls[slot] ?? 0) * DECAY + state.current;
    state.weights[slot] = (state.weights[slot] ?? 0) * DECAY + 1;
  }
  state.hours += 1;
  Object.assign(state, { hour, current: 0 });
}

export const isRateKnown = ({ hours }: UsualRateState): boolean => hours >= MIN_RATE_HOURS;

/** Makes a changed level usual. */
export function scaleRate(state: UsualRateState, factor: number): void {
  state.calls.forEach((calls, at) => {
    state.calls[at] = calls * factor;
  });
}

/** Usual calls in an hour of the week: of that hour, and with less weight of its neighbours and of other days. */
function toHourlyCalls({ calls, weights }: UsualRateState, slot: number): number {
  let [sum, weight] = [0, 0];
  for (const [offset, share] of [
    [0, 1],
    [-1, 0.25],
    [1, 0.25],
  ] as const) {
    const at = (slot + offset + HOURS_PER_WEEK) % HOURS_PER_WEEK;
    sum += share * (calls[at] ?? 0);
    weight += share * (weights[at] ?? 0);
  }
  return weight === 0 ? 0 : sum / weight;
}

/** Usual calls of a minute, interpolated between the middles of the hours. */
export function toUsualCalls(state: UsualRateState, minute: number): number {
  const position = minute / 60 - 0.5;
  const [slot, part] = [Math.floor(position), position - Math.floor(position)];
  const [one, other] = [slot, slot + 1].map((at) => toHourlyCalls(state, at % HOURS_PER_WEEK));
  return ((one ?? 0) * (1 - part) + (other ?? 0) * part) / 60;
}

export interface RateRatios {
  readonly rise: readonly number[];
  readonly fall: readonly number[];
}

/** Log-likelihood ratios of a minute with `hits` calls where `usual` are usual, as of Poisson counts. */
export function toRateRatios(state: UsualRateState, hits: number, usual: number): RateRatios {
  const dispersion = toDispersion(state.dispersion);
  const ratio = (edge: number, factor: number): number =>
    (hits * Math.log(factor / edge) - usual * (factor - edge)) / dispersion;
  return {
    rise: RISING_RATES.map((factor) => ratio(1 + RATE_TOLERANCE, factor)),
    fall: FALLING_RATES.map((factor) => ratio(1 - RATE_TOLERANCE, factor)),
  };
}

/** Log-likelihood ratio of "as usual again" against "halfway to the change". */
export function toRateReturnRatio(
  state: UsualRateState,
  { hits, usual }: { readonly hits: number; readonly usual: number },
  change: number,
): number {
  const halfway = Math.sqrt(Math.max(0.01, change));
  return (hits * Math.log(1 / halfway) - usual * (1 - halfway)) / toDispersion(state.dispersion);
}
