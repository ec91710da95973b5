// Detects the same call with the same answer, back to back. A different cursor or limit does not make it a different
// call: if it had an effect, the answers would differ.

import {
  countSteps,
  isGrowing,
  type LoopRule,
  type RuleResult,
  samenessOf,
  takeTrailingRun,
} from '../loop-rule.ts';
import { isPendingOrLongPoll, isPolling } from '../polling.ts';
import type { LoopThresholds } from '../thresholds.ts';
import type { WindowCall } from '../window-call.ts';

export const detectRepeat: LoopRule = (seen, thresholds): RuleResult | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.intent === 0) return undefined;
  const { tool, intent, intentWithoutPaging, answer } = newest;
  const equal = takeTrailingRun(seen, (call) => call.intent === intent && call.answer === answer);
  // "Done" for two pages means that both pages are done.
  const moving =
    answer.trait === 'done'
      ? equal
      : takeTrailingRun(
          seen,
          (call) =>
            call.tool === tool && call.intentWithoutPaging === intentWithoutPaging && call.answer === answer,
        );
  const calls = moving.length > equal.length ? moving : equal;
  const sameness = samenessOf(calls);
  if (sameness === 'noisy' && isGrowing(calls)) return undefined;
  if (isPolling(equal, thresholds) || isPendingOrLongPoll(equal, thresholds)) return undefined;
  const need = calls === equal ? requiredRepeats(calls, thresholds) : thresholds.cursorRepeats;
  return {
    kind: 'repeat',
    count: countSteps(calls),
    suspectedAt: need,
    confirmedAt: sameness === 'noisy' ? need + 2 : need + 1,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness,
  };
};

function requiredRepeats(
  calls: readonly WindowCall[],
  { repeats, longRepeats, longBytes }: LoopThresholds,
): number {
  const failure = calls.at(-1)?.answer.failure;
  // Transient failures may be retried, and a rate limit requires it.
  if (failure?.messageHash && failure.failureClass === 'busy') return repeats + 2;
  if (failure?.messageHash && failure.failureClass === 'server') return repeats + 1;
  return calls.every(({ resultBytes }) => resultBytes >= longBytes) ? longRepeats : repeats;
}
