// Detects a tool that gives the same long answer whatever the arguments: ten patches and one failing test, ten queries and
// one error page. Short answers do not count: "The record was updated" ten times is ten updates.

import { countSteps, type LoopRule, type RuleResult, samenessOf } from '../loop-rule.ts';
import type { WindowCall } from '../window-call.ts';

/** Verbs of tools that change something: their answer may be the same for every change. */
const WRITE_VERBS =
  /(?:^|[_.\-/])(?:send|create|add|update|delete|write|post|put|patch|set|insert|upload|move|copy|remove|rename|publish|notify|log|record|book|cancel|save|append|assign|archive|register|invite|import|apply|submit|comment|reply|mark|tag|label)(?:$|[_.\-A-Z])/;

export const detectSameAnswer: LoopRule = (seen, thresholds): RuleResult | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.maskedHash === 0 || newest.resultBytes < thresholds.noiseBytes)
    return undefined;
  if (newest.answer.acknowledgement || newest.isMutating || newest.answer.trait !== '') return undefined;
  if (newest.answer.lines > 0 && WRITE_VERBS.test(newest.toolName)) return undefined;
  const calls: WindowCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || newest.step - call.step >= thresholds.sameAnswersAmong) break;
    if (call.tool !== newest.tool) continue;
    if (call.answer !== newest.answer || call.maskedHash !== newest.maskedHash) break;
    calls.unshift(call);
  }
  return {
    kind: 'same_answer',
    count: countSteps(calls),
    suspectedAt: thresholds.sameAnswers,
    confirmedAt: thresholds.sameAnswers + 3,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: samenessOf(calls),
  };
};
