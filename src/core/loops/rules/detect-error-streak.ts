// Detects one tool, or one server, that keeps failing the same way, whatever the arguments. The arguments
// need not be known: an error itself shows that nothing was gained.

import { compareAnswers, hasFingerprint, isSameAnswer } from '../../model/compare-answers.ts';
import { countSteps, type LoopRule, type RuleResult } from '../loop-rule.ts';
import type { LoopThresholds } from '../thresholds.ts';
import type { WindowCall } from '../window-call.ts';

/** Transient failures: retrying once or twice is correct. */
const TRANSIENT =
  /(?:^|[^0-9])(?:429|50[0-4]|529)$|time-?_?d?_?out|unavailable|overload|rate_?limit|too_many|econn|connection|network|busy|throttl/i;

export const detectErrorStreak: LoopRule = (seen, thresholds): RuleResult | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || !newest.answer.failure) return undefined;
  const { tool, serverName } = newest;
  const ofTool = detectStreak(seen, (call) => call.tool === tool, thresholds);
  const ofServer = detectStreak(seen, (call) => call.serverName === serverName, thresholds);
  return ofServer.count > ofTool.count ? ofServer : ofTool;
};

function detectStreak(
  seen: readonly WindowCall[],
  isMember: (call: WindowCall) => boolean,
  thresholds: LoopThresholds,
): RuleResult {
  const calls = collectStreak(seen, isMember, thresholds);
  const need = thresholds.failures + (isProbing(calls) && areAllDifferent(calls) ? EXTRA_PROBES : 0);
  return {
    kind: 'error_streak',
    count: countFailures(calls, thresholds),
    suspectedAt: need,
    confirmedAt: need + 3,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: 'failure',
    ...(calls.some(({ answer }) => !hasFingerprint(answer)) && { withoutFingerprints: true }),
  };
}

/** Failures like the newest one, back to the first success, oldest first. */
function collectStreak(
  seen: readonly WindowCall[],
  isMember: (call: WindowCall) => boolean,
  thresholds: LoopThresholds,
): WindowCall[] {
  const newest = seen.at(-1);
  if (newest === undefined) return [];
  const among = thresholds.failuresAmong + (isProbing([newest]) ? EXTRA_PROBES : 0);
  const calls: WindowCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || newest.step - call.step >= among) break;
    if (!isMember(call)) continue;
    if (!call.answer.failure) break;
    if (isFailureLike(call, newest, thresholds)) calls.push(call);
  }
  return calls.reverse();
}

function isProbing(calls: readonly WindowCall[]): boolean {
  return calls.at(-1)?.answer.failure?.failureClass === 'absent';
}

/** Causes that several tools share. */
const SHARED_FAILURE_CLASSES: readonly string[] = ['permission', 'server', 'busy'];

/** An agent that tries a different thing each time may be searching for the one that exists. */
const EXTRA_PROBES = 2;

function areAllDifferent(calls: readonly WindowCall[]): boolean {
  return calls[0]?.intent !== 0 && new Set(calls.map(({ intent }) => intent)).size === calls.length;
}

function isFailureLike(call: WindowCall, newest: WindowCall, thresholds: LoopThresholds): boolean {
  if (call.answer === newest.answer) return true;
  const other = call.tool !== newest.tool;
  const [failure, newestFailure] = [call.answer.failure, newest.answer.failure];
  if (failure === undefined || newestFailure === undefined) return false;
  const shared = failure.failureClass === newestFailure.failureClass;
  if (other && shared && SHARED_FAILURE_CLASSES.includes(failure.failureClass)) return true;
  if (other && failure.templateHash === 0 && call.answer.maskedHash !== newest.answer.maskedHash)
    return false;
  return isSameAnswer(compareAnswers(call.answer, newest.answer, thresholds));
}

/** Counts steps; from the third batch of concurrent calls on, half of the calls. */
function countFailures(calls: readonly WindowCall[], { failures }: LoopThresholds): number {
  if (TRANSIENT.test(calls.at(-1)?.answer.failure?.code ?? '')) return countWithoutRetries(calls);
  const steps = countSteps(calls);
  const batched = Math.floor(calls.length / 2);
  return steps >= MIN_BATCH_STEPS && steps < failures ? Math.max(steps, batched) : steps;
}

const MIN_BATCH_STEPS = 3;

/** If most calls are retries of the previous call, as in an outage, only the others count. */
function countWithoutRetries(calls: readonly WindowCall[]): number {
  const retries = calls.filter(
    (call, at) => call.intent !== 0 && call.intent === calls[at - 1]?.intent,
  ).length;
  const steps = countSteps(calls);
  const distinct = new Set(calls.map(({ intent }) => intent)).size;
  return distinct > 1 && retries * 2 >= calls.length ? steps - retries : steps;
}
