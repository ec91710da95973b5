// Refused again and again because a required argument is not there: what the model wrote was cut off before it, and it will be
// cut off again. The refusal says so itself, so two that are equal suffice to suspect it.

import { countSteps, hasEqualArguments, type Reading, type Rule } from './reading.ts';
import type { SeenCall } from './seen-call.ts';

/** Among this many steps: whoever does other things in between has read the refusal. */
const AMONG = 6;

export const readTruncatedArguments: Rule = (seen, thresholds): Reading | undefined => {
  const newest = seen.at(-1);
  if (newest === undefined || newest.missing === '') return undefined;
  const calls: SeenCall[] = [];
  for (let at = seen.length - 1; at >= 0; at--) {
    const call = seen[at];
    if (call === undefined || newest.step - call.step >= AMONG) break;
    if (call.tool !== newest.tool) continue;
    if (call.missing !== newest.missing) break;
    calls.push(call);
  }
  calls.reverse();
  // With other arguments in between it may be a list of tries, and needs one more.
  const need = thresholds.truncations + (hasEqualArguments(calls) ? 0 : 1);
  return {
    kind: 'truncated_arguments',
    count: countSteps(calls),
    need,
    sure: need + 1,
    period: 1,
    calls,
    wasted: calls.slice(1),
    sameness: 'failure',
  };
};
