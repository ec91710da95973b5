// A poller that has seen no change for long. Until its own threshold it may be a slow job, and the two differ only in
// what comes next.

import { isPolling, isWaitedFor } from './polling.ts';
import { countSteps, type Reading, type Rule, samenessOf, takeRun } from './reading.ts';

export const readStuckPoll: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.intent === 0) return undefined;
  const calls = takeRun(seen, ({ intent, answer }) => intent === newest.intent && answer === newest.answer);
  if (!isPolling(calls, thresholds) && !isWaitedFor(calls, thresholds)) return undefined;
  return {
    kind: 'stuck_poll',
    count: countSteps(calls),
    need: thresholds.polls,
    sure: thresholds.polls * 2,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: samenessOf(calls),
  };
};
