// One check that never changes amid other work: an agent edits, tests, edits, tests, and the test does not move. The
// other calls may differ each time; that is what makes it invisible to whoever looks for repetition.

import { isPolling, isWait } from './polling.ts';
import { countSteps, type Reading, type Rule } from './reading.ts';
import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

export const readNoEffect: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.intent === 0) return undefined;
  const from = Math.max(0, seen.length - thresholds.checksAmong);
  const calls: SeenCall[] = [];
  for (let at = seen.length - 1; at >= from; at--) {
    const call = seen[at];
    if (call === undefined || call.intent !== newest.intent) continue;
    if (call.answer !== newest.answer || call.masked !== newest.masked) break;
    calls.push(call);
  }
  if (calls.length < 2) return undefined;
  calls.reverse();
  if (isAwaited(seen, calls, thresholds)) return undefined;
  if (newest.answer.acknowledgement && movesSomething(seen.slice(from), calls)) return undefined;
  return {
    kind: 'no_effect',
    count: countSteps(calls),
    need: thresholds.checks,
    sure: thresholds.checks + 2,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: 'equal',
  };
};

/** Back to back at an even pace, or with a sleep before most of them, it is polling, which waits longer. */
function isAwaited(
  seen: readonly SeenCall[],
  calls: readonly SeenCall[],
  thresholds: LoopThresholds,
): boolean {
  const first = calls[0]?.index ?? 0;
  const last = calls.at(-1)?.index ?? 0;
  if (last - first === calls.length - 1) return isPolling(calls, thresholds);
  const waits = seen.filter((call) => call.index > first && isWait(call, thresholds)).length;
  return waits * 2 >= calls.length;
}

/** "Done" says nothing by itself; but if another call, the same each time, shows something new after it, it works. */
function movesSomething(among: readonly SeenCall[], calls: readonly SeenCall[]): boolean {
  const changes = new Map<number, number>();
  const answers = new Map<number, SeenCall['answer']>();
  for (const call of among) {
    if (call.intent === 0 || call.intent === calls[0]?.intent) continue;
    const before = answers.get(call.intent);
    if (before !== undefined && before !== call.answer)
      changes.set(call.intent, (changes.get(call.intent) ?? 0) + 1);
    answers.set(call.intent, call.answer);
  }
  return Math.max(0, ...changes.values()) * 2 >= calls.length - 1;
}
