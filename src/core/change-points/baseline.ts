// What is usual for a tool: calls, failures by code and latencies of past hours, whose weight halves in a week.
// The newest hours wait for a day, and the hours of a change do not count at all.

import { addHour, createDispersion, type DispersionState, toDispersion } from './dispersion.ts';
import { createLevel, type Level, toShare } from './level.ts';
import {
  BASELINE_DELAY_HOURS,
  BASELINE_HALF_LIFE_HOURS,
  MIN_SLOWDOWN_MS,
  MIN_USUAL_CALLS,
} from './thresholds.ts';

/** Counts of some hours. */
interface CallCounts {
  calls: number;
  /** By code. */
  failures: Record<string, number>;
  /** Calls by latency bin. */
  bins: Record<number, number>;
}

interface HourCounts extends CallCounts {
  readonly hour: number;
}

export interface BaselineState extends CallCounts {
  /** The first hour that counts. */
  since: number;
  /** Oldest first; the last one is in progress. */
  pending: HourCounts[];
  readonly dispersions: {
    readonly failures: DispersionState;
    readonly median: DispersionState;
    readonly tail: DispersionState;
  };
}

/** A latency from which on a call counts as slow. */
export interface SlowLevel {
  readonly fromBin: number;
  readonly level: Level;
}

/** The usual levels of a tool. */
export interface ToolLevels {
  readonly all: Level;
  readonly median: SlowLevel;
  readonly tail: SlowLevel;
}

const DECAY = 0.5 ** (1 / BASELINE_HALF_LIFE_HOURS);
/** Bins per doubling of the latency. */
const BINS_PER_DOUBLING = 4;

/** The latency bin of a call: four for each doubling, from 1 µs on. */
export const toLatencyBin = (us: number): number =>
  Math.floor(BINS_PER_DOUBLING * Math.log2(Math.max(1, us)));

export function createBaseline(hour: number): BaselineState {
  return {
    ...{ calls: 0, failures: {}, bins: {}, since: hour, pending: [] },
    dispersions: { failures: createDispersion(), median: createDispersion(), tail: createDispersion() },
  };
}

export function countMinute(
  state: BaselineState,
  hour: number,
  counts: {
    readonly calls: number;
    readonly failures: ReadonlyMap<string, number>;
    readonly latencies: readonly (readonly [bin: number, calls: number])[];
  },
): void {
  let last = state.pending.at(-1);
  if (last?.hour !== hour) {
    last = { hour, calls: 0, failures: {}, bins: {} };
    state.pending.push(last);
  }
  last.calls += counts.calls;
  for (const [code, calls] of counts.failures) last.failures[code] = (last.failures[code] ?? 0) + calls;
  for (const [bin, calls] of counts.latencies) last.bins[bin] = (last.bins[bin] ?? 0) + calls;
}

/** Adds the hours that waited long enough to the usual level; `isChanged` keeps them back. */
export function startHour(
  state: BaselineState,
  hour: number,
  { isChanged, levels }: { readonly isChanged: boolean; readonly levels: ToolLevels | undefined },
): void {
  const age = hour - state.since;
  const delay = Math.min(BASELINE_DELAY_HOURS, Math.floor(age / 2));
  if (isChanged) {
    state.pending = state.pending.slice(-BASELINE_DELAY_HOURS);
    return;
  }
  while (state.pending[0] && state.pending[0].hour < hour - delay) {
    const next = state.pending.shift();
    if (!next) break;
    if (levels) addDispersion(state, next, levels);
    mergeHour(state, next);
  }
  decay(state);
}

/** Forgets the hours from an onset on, because they were not usual. */
export function dropHoursFrom(state: BaselineState, hour: number): void {
  state.pending = state.pending.filter((one) => one.hour < hour);
}

/** Makes the hours since `hour` the usual ones and forgets all before. */
export function restartBaseline(state: BaselineState, hour: number): void {
  const kept = state.pending.filter((one) => one.hour > hour);
  const { dispersions } = state;
  Object.assign(state, createBaseline(hour), { dispersions });
  for (const one of kept) mergeHour(state, one);
}

function mergeHour(state: CallCounts, hour: CallCounts): void {
  state.calls += hour.calls;
  addCounts(state.failures, hour.failures);
  addCounts(state.bins, hour.bins);
}

function addCounts(to: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(from)) to[key] = (to[key] ?? 0) + count;
}

function decay(state: CallCounts): void {
  state.calls *= DECAY;
  for (const counts of [state.failures, state.bins] as Record<string, number>[]) {
    for (const key of Object.keys(counts)) {
      const left = (counts[key] ?? 0) * DECAY;
      if (left < 0.05) delete counts[key];
      else counts[key] = left;
    }
  }
}

function addDispersion({ dispersions }: BaselineState, hour: HourCounts, levels: ToolLevels): void {
  const add = (to: DispersionState, { hits, calls }: { hits: number; calls: number }, share: number): void =>
    addHour(to, { hits, usual: calls * share, variance: calls * share * (1 - share) });
  add(dispersions.failures, { hits: sumOf(hour.failures), calls: hour.calls }, levels.all.share);
  for (const name of ['median', 'tail'] as const) {
    const { fromBin, level } = levels[name];
    add(dispersions[name], { hits: countFrom(hour.bins, fromBin), calls: sumOf(hour.bins) }, level.share);
  }
}

/** Undefined while too few calls were seen. */
export function toToolLevels(state: BaselineState): ToolLevels | undefined {
  if (state.calls < MIN_USUAL_CALLS) return undefined;
  return {
    all: toFailureLevel(state, sumOf(state.failures)),
    median: toSlowLevel(state, 0.5, toDispersion(state.dispersions.median)),
    tail: toSlowLevel(state, 0.95, toDispersion(state.dispersions.tail)),
  };
}

/** The level of one code. */
export const toCodeLevel = (state: BaselineState, code: string): Level =>
  toFailureLevel(state, state.failures[code] ?? 0);

function toFailureLevel({ calls, dispersions }: BaselineState, failures: number): Level {
  const dispersion = toDispersion(dispersions.failures);
  return createLevel({ share: toShare(failures, calls), calls, dispersion });
}

/** Slow calls are those beyond the bin of the percentile, and at least some milliseconds beyond it. */
function toSlowLevel({ bins }: BaselineState, percentile: number, dispersion: number): SlowLevel {
  const calls = sumOf(bins);
  const usualBin = findPercentileBin(bins, percentile * calls);
  const usualUs = 2 ** ((usualBin + 1) / BINS_PER_DOUBLING);
  const fromBin = Math.max(usualBin + 1, toLatencyBin(usualUs + MIN_SLOWDOWN_MS * 1_000));
  return {
    fromBin,
    level: createLevel({ share: toShare(countFrom(bins, fromBin), calls), calls, dispersion }),
  };
}

function findPercentileBin(bins: Readonly<Record<number, number>>, rank: number): number {
  let left = rank;
  for (const [bin, calls] of toSortedBins(bins)) {
    left -= calls;
    if (left <= 0) return bin;
  }
  return 0;
}

const toSortedBins = (bins: Readonly<Record<number, number>>): [number, number][] =>
  Object.entries(bins)
    .map(([bin, calls]): [number, number] => [Number(bin), calls])
    .sort(([one], [other]) => one - other);

const countFrom = (bins: Readonly<Record<number, number>>, fromBin: number): number =>
  Object.entries(bins).reduce((sum, [bin, calls]) => sum + (Number(bin) >= fromBin ? calls : 0), 0);

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
