// One check that never changes amid other work: an agent edits, tests, edits, tests, and the test does not move. The
// other calls may differ each time; that is what makes it invisible to whoever looks for repetition.

import { isPolling, isWait, isWaitedFor } from './polling.ts';
import { countSteps, type Reading, type Rule, samenessOf } from './reading.ts';
import { type SeenCall, WINDOW } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** A tool whose very purpose is to be called again and again. */
const HEARTBEAT = /(?:heart_?-?beat|keep_?-?alive|ping|no_?op)$/i;

export const readNoEffect: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.intent === 0 || HEARTBEAT.test(newest.toolName)) return undefined;
  if (isWait(newest, thresholds)) return undefined;
  const same = checksLike(newest, seen);
  if (same.length < 2 || isAwaited(seen, same, thresholds)) return undefined;
  const { need, calls } = nearest(newest, same, thresholds);
  const first = calls[0]?.index ?? 0;
  const among = seen.filter(({ index }) => index >= first);
  if (newest.answer.acknowledgement && isWork(among, calls)) return undefined;
  return {
    kind: 'no_effect',
    count: countSteps(calls),
    need,
    sure: need + 2,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: samenessOf(calls),
  };
};

/** The same check back to when it said something else, oldest first. */
function checksLike(newest: SeenCall, seen: readonly SeenCall[]): readonly SeenCall[] {
  const calls: SeenCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || call.intent !== newest.intent) continue;
    if (call.answer !== newest.answer || call.masked !== newest.masked) break;
    calls.push(call);
  }
  return calls.reverse();
}

function isUnbroken(calls: readonly SeenCall[]): boolean {
  return (calls.at(-1)?.index ?? 0) - (calls[0]?.index ?? 0) === calls.length - 1;
}

interface Measure {
  readonly need: number;
  readonly calls: readonly SeenCall[];
}

/** Of the three measures (dense, usual, a failing check over the whole window) the one that has come farthest. */
function nearest(newest: SeenCall, same: readonly SeenCall[], thresholds: LoopThresholds): Measure {
  const { denseChecks, denseChecksAmong, checks, checksAmong, failingChecks } = thresholds;
  const within = (among: number) => same.filter(({ index }) => newest.index - index < among);
  const measures: Measure[] = [
    { need: checks, calls: within(checksAmong) },
    // Without a call in between it is a repeat, and that is another rule.
    ...(isUnbroken(within(denseChecksAmong)) ? [] : [{ need: denseChecks, calls: within(denseChecksAmong) }]),
    ...(newest.answer.failure || newest.answer.trait === 'failing'
      ? [{ need: failingChecks, calls: within(WINDOW) }]
      : []),
  ];
  return measures.reduce((best, one) =>
    countSteps(one.calls) - one.need > countSteps(best.calls) - best.need ? one : best,
  );
}

/** Back to back at an even pace, with a sleep before most of them, or for something that goes on: it is polling. */
function isAwaited(
  seen: readonly SeenCall[],
  calls: readonly SeenCall[],
  thresholds: LoopThresholds,
): boolean {
  const newest = calls.at(-1);
  if (newest === undefined || newest.answer.failure) return false;
  if (isWaitedFor(calls, thresholds)) return true;
  const first = calls[0]?.index ?? 0;
  if (isUnbroken(calls)) return isPolling(calls, thresholds);
  const others = seen.filter((call) => call.index > first && call.intent !== newest.intent);
  if (others.filter(({ answer }) => answer.trait === 'pending').length * 2 >= others.length) return true;
  // To sleep between two looks is patience while something goes on; the answer was read, and says no such thing.
  if (newest.answer.lines > 0 && newest.answer.trait !== 'empty') return false;
  const waits = seen.filter((call) => call.index > first && isWait(call, thresholds)).length;
  return waits * 2 >= calls.length;
}

/** "Done" says nothing by itself; if most of what lies between is new or goes on, or another call shows something new after it, it works. */
function isWork(among: readonly SeenCall[], calls: readonly SeenCall[]): boolean {
  const others = among.filter(({ intent }) => intent !== calls[0]?.intent);
  const fresh = others.filter(
    ({ visitsBefore, answer }) => visitsBefore === 0 || answer.trait === 'pending',
  ).length;
  const saysDone = calls.at(-1)?.answer.trait === 'done';
  return (saysDone && fresh * 2 > others.length) || movesSomething(others, calls);
}

function movesSomething(others: readonly SeenCall[], calls: readonly SeenCall[]): boolean {
  const changes = new Map<number, number>();
  const answers = new Map<number, SeenCall['answer']>();
  for (const call of others) {
    if (call.intent === 0) continue;
    const before = answers.get(call.intent);
    if (before !== undefined && before !== call.answer)
      changes.set(call.intent, (changes.get(call.intent) ?? 0) + 1);
    answers.set(call.intent, call.answer);
  }
  return Math.max(0, ...changes.values()) * 2 >= calls.length - 1;
}
