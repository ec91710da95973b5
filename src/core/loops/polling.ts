// Decides whether a run of equal calls is polling. Evidence is the rhythm (pauses of a person or a program
// are even or grow, those of a thinking agent are neither) and an answer that reports work in progress. Names
// are no evidence, because any tool may be called `status`; a tool that declares changes is not polled.

import { MIN_IDLE_US } from './idle-detector.ts';
import type { LoopThresholds } from './thresholds.ts';
import { endedAtUs, type WindowCall } from './window-call.ts';

/** Maximum relative standard deviation of the pauses; programs with jitter reach 0.06, agents 0.3 to 0.6. */
const MAX_PAUSE_DEVIATION = 0.12;
/** Each pause is at least this many times the previous one. */
const MIN_BACKOFF_FACTOR = 1.1;
const MIN_PAUSES = 3;

export function isPolling(run: readonly WindowCall[], thresholds: LoopThresholds): boolean {
  const last = run.at(-1);
  if (last === undefined || last.answer.failure || last.isMutating || run.length <= MIN_PAUSES) return false;
  if (run.some(({ startedAtUs }) => startedAtUs === 0)) return false;
  const pauses = pausesIn(run);
  const mean = meanOf(pauses);
  if (mean < thresholds.pollPauseMs * 1000) return false;
  return isRegular(pauses, mean) || isBackingOff(pauses);
}

/** A pause this many times the longest one within a round is an outlier. */
const OUTLIER_FACTOR = 10;

/**
 * Whether rounds of several calls are periodic: each begins after an even pause that is long compared with
 * those within it.
 * @param calls whole rounds, oldest first
 * @param period calls per round
 */
export function isPeriodicCycle(calls: readonly WindowCall[], period: number): boolean {
  if (calls.length < MIN_ROUNDS * period) return false;
  if (calls.some(({ answer, isMutating, startedAtUs }) => answer.failure || isMutating || startedAtUs === 0))
    return false;
  const pauses = pausesIn(calls);
  const between = pauses.filter((_, at) => at % period === period - 1);
  const within = pauses.filter((_, at) => at % period !== period - 1);
  const shortest = Math.max(MIN_IDLE_US, OUTLIER_FACTOR * Math.max(...within));
  return isRegular(between, meanOf(between)) && Math.min(...between) >= shortest;
}

/** Two even pauses may be chance; with more pauses an agent's rhythm is no longer even. */
const MIN_ROUNDS = 3;

function pausesIn(run: readonly WindowCall[]): readonly number[] {
  return run.slice(1).map((call, at) => call.startedAtUs - endOf(run[at]));
}

function meanOf(pauses: readonly number[]): number {
  return pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length;
}

/** Whether the answer reports work in progress, or each call itself waited for news and returned none. */
export function isPendingOrLongPoll(run: readonly WindowCall[], { pollPauseMs }: LoopThresholds): boolean {
  const last = run.at(-1);
  if (last === undefined || last.isMutating) return false;
  if (last.answer.trait === 'pending') return true;
  return last.answer.trait === 'empty' && run.every(({ durationUs }) => durationUs >= pollPauseMs * 1000);
}

function endOf(call: WindowCall | undefined): number {
  return call === undefined ? 0 : endedAtUs(call);
}

function isRegular(pauses: readonly number[], mean: number): boolean {
  const variance = pauses.reduce((sum, pause) => sum + (pause - mean) ** 2, 0) / pauses.length;
  return Math.sqrt(variance) <= MAX_PAUSE_DEVIATION * mean;
}

function isBackingOff(pauses: readonly number[]): boolean {
  return pauses.every((pause, at) => at === 0 || pause >= MIN_BACKOFF_FACTOR * (pauses[at - 1] ?? 0));
}

/** A long call with a bare acknowledgement is a deliberate sleep. */
export function isSleep(call: WindowCall, { acknowledgementBytes, pollPauseMs }: LoopThresholds): boolean {
  const silent =
    !call.answer.failure && (call.resultBytes <= acknowledgementBytes || call.answer.trait === 'done');
  return silent && call.durationUs >= pollPauseMs * 1000;
}
