// Whether a run of equal calls waits for something. Known by its rhythm: a person's or a program's pause is even or grows, a
// thinking agent's is neither. And by the answer: one that says something is going on is worth asking for again. Names
// are no evidence, because anybody may call anything `status`; a tool that says it changes things is no way to wait.

import { SHORTEST_IDLE_US } from './pace.ts';
import { endedAtUs, type SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** Pauses may stray this far, as standard deviation by mean; programs with jitter do by 0.06, agents by 0.3 to 0.6. */
const EVEN = 0.12;
/** Each pause is longer than the one before by this factor at least. */
const BACK_OFF = 1.1;
const FEWEST_PAUSES = 3;

export function isPolling(run: readonly SeenCall[], thresholds: LoopThresholds): boolean {
  const last = run.at(-1);
  if (last === undefined || last.answer.failure || last.changes || run.length <= FEWEST_PAUSES) return false;
  if (run.some(({ startedAtUs }) => startedAtUs === 0)) return false;
  const pauses = pausesIn(run);
  const mean = meanOf(pauses);
  if (mean < thresholds.pollPauseMs * 1000) return false;
  return isEven(pauses, mean) || isBackingOff(pauses);
}

/** So many times the longest pause within a round stands out. */
const STANDS_OUT = 10;

/**
 * Whether rounds of several calls are those of a watch: each begins after an even pause that is long beside those within it.
 * @param calls whole rounds, oldest first
 * @param period calls in a round
 */
export function isWatch(calls: readonly SeenCall[], period: number): boolean {
  if (calls.length < FEWEST_ROUNDS * period) return false;
  if (calls.some(({ answer, changes, startedAtUs }) => answer.failure || changes || startedAtUs === 0))
    return false;
  const pauses = pausesIn(calls);
  const between = pauses.filter((_, at) => at % period === period - 1);
  const within = pauses.filter((_, at) => at % period !== period - 1);
  const shortest = Math.max(SHORTEST_IDLE_US, STANDS_OUT * Math.max(...within));
  return isEven(between, meanOf(between)) && Math.min(...between) >= shortest;
}

/** Two even pauses may be chance; of an agent's the next ones are not, and then it is no watch any more. */
const FEWEST_ROUNDS = 3;

function pausesIn(run: readonly SeenCall[]): readonly number[] {
  return run.slice(1).map((call, at) => call.startedAtUs - endOf(run[at]));
}

function meanOf(pauses: readonly number[]): number {
  return pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length;
}

/** Whether the answer says that something is still going on, or each call itself waited for news and brought none. */
export function isWaitedFor(run: readonly SeenCall[], { pollPauseMs }: LoopThresholds): boolean {
  const last = run.at(-1);
  if (last === undefined || last.changes) return false;
  if (last.answer.trait === 'pending') return true;
  return last.answer.trait === 'empty' && run.every(({ durationUs }) => durationUs >= pollPauseMs * 1000);
}

function endOf(call: SeenCall | undefined): number {
  return call === undefined ? 0 : endedAtUs(call);
}

function isEven(pauses: readonly number[], mean: number): boolean {
  const variance = pauses.reduce((sum, pause) => sum + (pause - mean) ** 2, 0) / pauses.length;
  return Math.sqrt(variance) <= EVEN * mean;
}

function isBackingOff(pauses: readonly number[]): boolean {
  return pauses.every((pause, at) => at === 0 || pause >= BACK_OFF * (pauses[at - 1] ?? 0));
}

/** A call that took long and said nothing: somebody slept on purpose. */
export function isWait(call: SeenCall, { acknowledgementBytes, pollPauseMs }: LoopThresholds): boolean {
  const silent = !call.answer.failure && (call.bytes <= acknowledgementBytes || call.answer.trait === 'done');
  return silent && call.durationUs >= pollPauseMs * 1000;
}
