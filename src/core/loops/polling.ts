// Whether a run of equal calls waits for something. Known by its rhythm: a person's or a program's pause is even or grows, a
// thinking agent's is neither. And by the answer: one that says something is going on is worth asking for again. Names
// are no evidence, because anybody may call anything `status`; a tool that says it changes things is no way to wait.

import { MIN_IDLE_US } from './idle-detector.ts';
import type { LoopThresholds } from './thresholds.ts';
import { endedAtUs, type WindowCall } from './window-call.ts';

/** Pauses may stray this far, as standard deviation by mean; programs with jitter do by 0.06, agents by 0.3 to 0.6. */
const MAX_PAUSE_DEVIATION = 0.12;
/** Each pause is longer than the one before by this factor at least. */
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

/** So many times the longest pause within a round stands out. */
const OUTLIER_FACTOR = 10;

/**
 * Whether rounds of several calls are those of a watch: each begins after an even pause that is long beside those within it.
 * @param calls whole rounds, oldest first
 * @param period calls in a round
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

/** Two even pauses may be chance; of an agent's the next ones are not, and then it is no watch any more. */
const MIN_ROUNDS = 3;

function pausesIn(run: readonly WindowCall[]): readonly number[] {
  return run.slice(1).map((call, at) => call.startedAtUs - endOf(run[at]));
}

function meanOf(pauses: readonly number[]): number {
  return pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length;
}

/** Whether the answer says that something is still going on, or each call itself waited for news and brought none. */
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

/** A call that took long and said nothing: somebody slept on purpose. */
export function isSleep(call: WindowCall, { acknowledgementBytes, pollPauseMs }: LoopThresholds): boolean {
  const silent =
    !call.answer.failure && (call.resultBytes <= acknowledgementBytes || call.answer.trait === 'done');
  return silent && call.durationUs >= pollPauseMs * 1000;
}
