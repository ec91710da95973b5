// One tool, or one server, failing the same way again and again, whatever it is asked. Arguments need not be known for
// this: an error says itself that nothing was gained.

import { isKnown, isSameFailure } from './answer.ts';
import { countSteps, type Reading, type Rule } from './reading.ts';
import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** Failures that may go away by themselves: to try again, a time or two, is right. */
const TRANSIENT =
  /(?:^|[^0-9])(?:429|50[0-4]|529)$|time-?_?d?_?out|unavailable|overload|rate_?limit|too_many|econn|connection|network|busy|throttl/i;

export const readErrorStreak: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || !newest.answer.failure) return undefined;
  const { tool, serverName } = newest;
  const ofTool = readStreak(seen, (call) => call.tool === tool, thresholds);
  const ofServer = readStreak(seen, (call) => call.serverName === serverName, thresholds);
  return ofServer.count > ofTool.count ? ofServer : ofTool;
};

function readStreak(
  seen: readonly SeenCall[],
  isAsked: (call: SeenCall) => boolean,
  thresholds: LoopThresholds,
): Reading {
  const calls = takeStreak(seen, isAsked, thresholds);
  const need = thresholds.failures + (probes(calls) && areAllDifferent(calls) ? PROBES : 0);
  return {
    kind: 'error_streak',
    count: countFailures(calls, thresholds),
    need,
    sure: need + 3,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: 'failure',
    ...(calls.some(({ answer }) => !isKnown(answer)) && { withoutFingerprints: true }),
  };
}

/** Failures like the newest one, back to the first success, oldest first. */
function takeStreak(
  seen: readonly SeenCall[],
  isAsked: (call: SeenCall) => boolean,
  thresholds: LoopThresholds,
): SeenCall[] {
  const newest = seen.at(-1);
  if (newest === undefined) return [];
  const among = thresholds.failuresAmong + (probes([newest]) ? PROBES : 0);
  const calls: SeenCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || newest.step - call.step >= among) break;
    if (!isAsked(call)) continue;
    if (!call.answer.failure) break;
    if (isSame(call, newest, thresholds)) calls.push(call);
  }
  return calls.reverse();
}

function probes(calls: readonly SeenCall[]): boolean {
  return calls.at(-1)?.answer.failure?.failureClass === 'absent';
}

/** What several tools fail for at once. */
const COMMON_CAUSES: readonly string[] = ['permission', 'server', 'busy'];

/** Whoever tries another thing each time, and is told that it is not there, may be looking for the one that is there. */
const PROBES = 2;

function areAllDifferent(calls: readonly SeenCall[]): boolean {
  return calls[0]?.intent !== 0 && new Set(calls.map(({ intent }) => intent)).size === calls.length;
}

function isSame(call: SeenCall, newest: SeenCall, thresholds: LoopThresholds): boolean {
  if (call.answer === newest.answer) return true;
  const other = call.tool !== newest.tool;
  // One cause, each tool in its own words.
  const [failure, newestFailure] = [call.answer.failure, newest.answer.failure];
  if (failure === undefined || newestFailure === undefined) return false;
  const shared = failure.failureClass === newestFailure.failureClass;
  if (other && shared && COMMON_CAUSES.includes(failure.failureClass)) return true;
  if (other && failure.template === 0 && call.answer.masked !== newest.answer.masked) return false;
  return isSameFailure(call.answer, newest.answer, thresholds);
}

/**
 * Steps; where a message makes several calls, half of its calls count too, from the third message on: after two whole
 * batches of refusals the agent has read what is wrong.
 */
function countFailures(calls: readonly SeenCall[], { failures }: LoopThresholds): number {
  if (TRANSIENT.test(calls.at(-1)?.answer.failure?.code ?? '')) return countFresh(calls);
  const steps = countSteps(calls);
  const batched = Math.floor(calls.length / 2);
  return steps >= FEWEST_BATCHES && steps < failures ? Math.max(steps, batched) : steps;
}

const FEWEST_BATCHES = 3;

/** Where most calls are retries of the call before, only the others count: an outage makes each call try a few times. */
function countFresh(calls: readonly SeenCall[]): number {
  const retries = calls.filter(
    (call, at) => call.intent !== 0 && call.intent === calls[at - 1]?.intent,
  ).length;
  const steps = countSteps(calls);
  const distinct = new Set(calls.map(({ intent }) => intent)).size;
  return distinct > 1 && retries * 2 >= calls.length ? steps - retries : steps;
}
