// Detects calls that are refused repeatedly because a required argument is missing: the model's output was cut off before
// it. The refusal itself says so, so two equal ones are enough.

import { countSteps, hasEqualArguments, type LoopRule, type RuleResult } from '../loop-rule.ts';
import type { WindowCall } from '../window-call.ts';

/** Among this many steps: an agent that makes other calls in between has read the refusal. */
const MAX_STEPS_BACK = 6;

export const detectTruncatedArguments: LoopRule = (seen, thresholds): RuleResult | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.missingArgument === '') return undefined;
  const calls: WindowCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || newest.step - call.step >= MAX_STEPS_BACK) break;
    if (call.tool !== newest.tool) continue;
    if (call.missingArgument !== newest.missingArgument) break;
    calls.push(call);
  }
  calls.reverse();
  // With other arguments in between it may be a list of tries, and needs one more.
  const need = thresholds.truncations + (hasEqualArguments(calls) ? 0 : 1);
  return {
    kind: 'truncated_arguments',
    count: countSteps(calls),
    suspectedAt: need,
    confirmedAt: need + 1,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: 'failure',
  };
};
