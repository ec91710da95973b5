// Folds the calls of a session: consecutive identical calls, and consecutive cycles of two or more calls. For
// display only; the service decides what is a loop.

import type { SessionCallRow } from '../../../../src/contract/sessions.ts';
import { type AnswerComparison, weakerComparison } from '../../../../src/core/model/compare-answers.ts';
import { type ComparableCall, compareResults, isSameCall } from './compare-calls.ts';

export interface Run<C extends ComparableCall = SessionCallRow> {
  /** Number of calls in one round of the cycle; 1 for a plain repeat. */
  readonly period: number;
  readonly calls: readonly C[];
  /** What holds for every result compared with the one a round earlier; undefined for a single call. */
  readonly result: AnswerComparison | undefined;
}

const MAX_CYCLE_PERIOD = 4;

/** Splits the calls, in order, into runs. A cycle needs at least two complete rounds. */
export function prepareRuns<C extends ComparableCall>(calls: readonly C[]): Run<C>[] {
  const runs: Run<C>[] = [];
  let at = 0;
  while (at < calls.length) {
    const run = findRunAt(calls, at);
    runs.push(run);
    at += run.calls.length;
  }
  return runs;
}

function findRunAt<C extends ComparableCall>(calls: readonly C[], at: number): Run<C> {
  for (let period = 1; period <= MAX_CYCLE_PERIOD; period += 1) {
    const length = countRepeatedCalls(calls, { at, period });
    const whole = Math.floor(length / period) * period;
    if (whole >= Math.max(2 * period, 2)) {
      const part = calls.slice(at, at + whole);
      return { period, calls: part, result: compareRounds(part, period) };
    }
  }
  return { period: 1, calls: calls.slice(at, at + 1), result: undefined };
}

function countRepeatedCalls(
  calls: readonly ComparableCall[],
  { at, period }: { at: number; period: number },
): number {
  let end = at + period;
  for (; end < calls.length; end += 1) {
    const call = calls[end];
    const before = calls[end - period];
    if (!call || !before || !isSameCall(call, before)) break;
  }
  return end - at;
}

function compareRounds(calls: readonly ComparableCall[], period: number): AnswerComparison {
  return calls.slice(period).reduce<AnswerComparison>((weakest, call, at) => {
    const before = calls[at];
    return before ? weakerComparison(weakest, compareResults(before, call)) : weakest;
  }, 'equal');
}

/** The run with the most repeats after its first round; undefined when nothing repeats. */
export function findLongestRun<C extends ComparableCall>(runs: readonly Run<C>[]): Run<C> | undefined {
  const repeats = (run: Run<C>): number => run.calls.length - run.period;
  const [longest] = [...runs].sort((a, b) => repeats(b) - repeats(a));
  return longest && repeats(longest) > 0 ? longest : undefined;
}

/** From the start of the first call to the end of the last. */
export function toElapsedMs(calls: readonly ComparableCall[]): number {
  const first = calls[0];
  const last = calls.at(-1);
  if (!first || !last) return 0;
  return Date.parse(last.startedAt) + last.durationMs - Date.parse(first.startedAt);
}
