// One tool that gives the very same long answer whatever it is asked: ten patches and one failing test, ten queries and
// one error page. The arguments do not reach what they should. Short answers say nothing here: "Done" after ten
// different deletions is ten times done.

import { countSteps, type Reading, type Rule } from './reading.ts';
import type { SeenCall } from './seen-call.ts';

export const readSameAnswer: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.masked === 0 || newest.bytes < thresholds.noiseBytes) return undefined;
  const calls: SeenCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || newest.step - call.step >= thresholds.sameAnswersAmong) break;
    if (call.tool !== newest.tool) continue;
    if (call.answer !== newest.answer || call.masked !== newest.masked) break;
    calls.unshift(call);
  }
  return {
    kind: 'same_answer',
    count: countSteps(calls),
    need: thresholds.sameAnswers,
    sure: thresholds.sameAnswers + 3,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: 'equal',
  };
};
