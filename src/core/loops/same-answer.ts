// One tool that gives the very same long answer whatever it is asked: ten patches and one failing test, ten queries and
// one error page. The arguments do not reach what they should. Short answers say nothing here, and "The record was updated"
// after ten different updates is ten updates.

import { countSteps, type Reading, type Rule, samenessOf } from './reading.ts';
import type { SeenCall } from './seen-call.ts';

/**
 * Verbs of tools that change something: however long such a tool's answer is, it may be the same for everything it does. A name
 * proves nothing, so it only ever keeps this rule silent, which has nothing else to go by.
 */
const CHANGES =
  /(?:^|[_.\-/])(?:send|create|add|update|delete|write|post|put|patch|set|insert|upload|move|copy|remove|rename|publish|notify|log|record|book|cancel|save|append|assign|archive|register|invite|import|apply|submit|comment|reply|mark|tag|label)(?:$|[_.\-A-Z])/;

export const readSameAnswer: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.masked === 0 || newest.bytes < thresholds.noiseBytes) return undefined;
  if (newest.answer.acknowledgement || newest.changes || newest.answer.trait !== '') return undefined;
  if (newest.answer.lines > 0 && CHANGES.test(newest.toolName)) return undefined;
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
    sameness: samenessOf(calls),
  };
};
