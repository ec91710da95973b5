// Detects a poller that has seen no change for long. Until its threshold the job may only be slow.

import { countSteps, type LoopRule, type RuleResult, samenessOf, takeTrailingRun } from '../loop-rule.ts';
import { isPendingOrLongPoll, isPolling } from '../polling.ts';

export const detectStuckPoll: LoopRule = (seen, thresholds): RuleResult | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.intent === 0) return undefined;
  const calls = takeTrailingRun(
    seen,
    ({ intent, answer }) => intent === newest.intent && answer === newest.answer,
  );
  if (!isPolling(calls, thresholds) && !isPendingOrLongPoll(calls, thresholds)) return undefined;
  return {
    kind: 'stuck_poll',
    count: countSteps(calls),
    suspectedAt: thresholds.polls,
    confirmedAt: thresholds.polls * 2,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: samenessOf(calls),
  };
};
