// One tool, or one server, failing the same way again and again, whatever it is asked. Arguments need not be known for
// this: an error says itself that nothing was gained.

import { isSameFailure } from './answer.ts';
import { countSteps, type Reading, type Rule } from './reading.ts';
import type { SeenCall } from './seen-call.ts';
import type { LoopThresholds } from './thresholds.ts';

/** Failures that may go away by themselves: to try again, a time or two, is right. */
const TRANSIENT =
  /(?:^|[^0-9])(?:429|50[0-4]|529)$|time-?_?d?_?out|unavailable|overload|rate_?limit|too_many|econn|connection|network|busy|throttl/i;

export const readErrorStreak: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || !newest.answer.failed) return undefined;
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
  const newest = seen.at(-1);
  const calls: SeenCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || newest === undefined) break;
    if (newest.step - call.step >= thresholds.failuresAmong) break;
    if (!isAsked(call)) continue;
    if (!call.answer.failed) break;
    if (isSame(call, newest, thresholds)) calls.push(call);
  }
  calls.reverse();
  const transient = TRANSIENT.test(newest?.answer.code ?? '');
  const count = transient ? countFresh(calls) : countSteps(calls);
  return {
    kind: 'error_streak',
    count,
    need: thresholds.failures,
    sure: thresholds.failures + 3,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: 'failure',
    ...(calls.some(({ answer }) => !answer.known) && { withoutFingerprints: true }),
  };
}

function isSame(call: SeenCall, newest: SeenCall, thresholds: LoopThresholds): boolean {
  if (call.answer === newest.answer) return true;
  if (call.tool !== newest.tool && call.answer.template === 0 && call.answer.masked !== newest.answer.masked)
    return false;
  return isSameFailure(call.answer, newest.answer, thresholds);
}

/** Where most calls are retries of the call before, only the others count: an outage makes each call try a few times. */
function countFresh(calls: readonly SeenCall[]): number {
  const retries = calls.filter(
    (call, at) => call.intent !== 0 && call.intent === calls[at - 1]?.intent,
  ).length;
  const steps = countSteps(calls);
  const distinct = new Set(calls.map(({ intent }) => intent)).size;
  return distinct > 1 && retries * 2 >= calls.length ? steps - retries : steps;
}
