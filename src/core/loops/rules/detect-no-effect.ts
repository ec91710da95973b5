// Detects a check whose answer never changes among other calls, such as a test that fails the same way after every edit.

import { countSteps, type LoopRule, type RuleResult, samenessOf } from '../loop-rule.ts';
import { isPendingOrLongPoll, isPolling, isSleep } from '../polling.ts';
import type { LoopThresholds } from '../thresholds.ts';
import { WINDOW_SIZE, type WindowCall } from '../window-call.ts';

/** Tools that are meant to be called again and again. */
const HEARTBEAT = /(?:heart_?-?beat|keep_?-?alive|ping|no_?op)$/i;

export const detectNoEffect: LoopRule = (seen, thresholds): RuleResult | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.intent === 0 || HEARTBEAT.test(newest.toolName)) return undefined;
  if (isSleep(newest, thresholds)) return undefined;
  const same = findEqualChecks(newest, seen);
  if (same.length < 2 || isWaitingLoop(seen, same, thresholds)) return undefined;
  const { suspectedAt, calls } = findClosestMeasure(newest, same, thresholds);
  const first = calls[0]?.index ?? 0;
  const among = seen.filter(({ index }) => index >= first);
  if (newest.answer.acknowledgement && isProgress(among, calls)) return undefined;
  return {
    kind: 'no_effect',
    count: countSteps(calls),
    suspectedAt,
    confirmedAt: suspectedAt + 2,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: samenessOf(calls),
  };
};

/** The same check, back to its last different answer, oldest first. */
function findEqualChecks(newest: WindowCall, seen: readonly WindowCall[]): readonly WindowCall[] {
  const calls: WindowCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || call.intent !== newest.intent) continue;
    if (call.answer !== newest.answer || call.maskedHash !== newest.maskedHash) break;
    calls.push(call);
  }
  return calls.reverse();
}

function isContiguous(calls: readonly WindowCall[]): boolean {
  return (calls.at(-1)?.index ?? 0) - (calls[0]?.index ?? 0) === calls.length - 1;
}

interface CheckMeasure {
  readonly suspectedAt: number;
  readonly calls: readonly WindowCall[];
}

/** The measure that is closest to its threshold: usual, dense, or a failing check over the whole window. */
function findClosestMeasure(
  newest: WindowCall,
  same: readonly WindowCall[],
  thresholds: LoopThresholds,
): CheckMeasure {
  const { denseChecks, denseChecksAmong, checks, checksAmong, failingChecks } = thresholds;
  const within = (among: number) => same.filter(({ index }) => newest.index - index < among);
  const measures: CheckMeasure[] = [
    { suspectedAt: checks, calls: within(checksAmong) },
    // Without a call in between it is a repeat, which another rule detects.
    ...(isContiguous(within(denseChecksAmong))
      ? []
      : [{ suspectedAt: denseChecks, calls: within(denseChecksAmong) }]),
    ...(newest.answer.failure || newest.answer.trait === 'failing'
      ? [{ suspectedAt: failingChecks, calls: within(WINDOW_SIZE) }]
      : []),
  ];
  return measures.reduce((best, one) =>
    countSteps(one.calls) - one.suspectedAt > countSteps(best.calls) - best.suspectedAt ? one : best,
  );
}

/** Whether the checks are polling: evenly paced, with a sleep before most of them, or for work in progress. */
function isWaitingLoop(
  seen: readonly WindowCall[],
  calls: readonly WindowCall[],
  thresholds: LoopThresholds,
): boolean {
  const newest = calls.at(-1);
  if (newest === undefined || newest.answer.failure) return false;
  if (isPendingOrLongPoll(calls, thresholds)) return true;
  const first = calls[0]?.index ?? 0;
  if (isContiguous(calls)) return isPolling(calls, thresholds);
  const others = seen.filter((call) => call.index > first && call.intent !== newest.intent);
  if (others.filter(({ answer }) => answer.trait === 'pending').length * 2 >= others.length) return true;
  // Sleeping is waiting only while work is in progress, and this answer does not say so.
  if (newest.answer.lines > 0 && newest.answer.trait !== 'empty') return false;
  const waits = seen.filter((call) => call.index > first && isSleep(call, thresholds)).length;
  return waits * 2 >= calls.length;
}

/** Whether an acknowledged call has an effect: most other calls are new or in progress, or their answers change. */
function isProgress(among: readonly WindowCall[], calls: readonly WindowCall[]): boolean {
  const others = among.filter(({ intent }) => intent !== calls[0]?.intent);
  const fresh = others.filter(
    ({ visitsBefore, answer }) => visitsBefore === 0 || answer.trait === 'pending',
  ).length;
  const saysDone = calls.at(-1)?.answer.trait === 'done';
  return (saysDone && fresh * 2 > others.length) || changesOtherAnswers(others, calls);
}

function changesOtherAnswers(others: readonly WindowCall[], calls: readonly WindowCall[]): boolean {
  const changes = new Map<number, number>();
  const answers = new Map<number, WindowCall['answer']>();
  for (const call of others) {
    if (call.intent === 0) continue;
    const before = answers.get(call.intent);
    if (before !== undefined && before !== call.answer)
      changes.set(call.intent, (changes.get(call.intent) ?? 0) + 1);
    answers.set(call.intent, call.answer);
  }
  return Math.max(0, ...changes.values()) * 2 >= calls.length - 1;
}
