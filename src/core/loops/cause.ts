// Estimates the cause of a loop from its calls, and what would end it. The estimate names its evidence: the
// failure's code, its error words, and whether the agent changed anything between attempts.

import type { LoopCause } from '../model/loop-cause.ts';
import type { LoopFinding } from './finding.ts';
import type { RuleResult } from './loop-rule.ts';

export function loopCauseOf({ kind, calls, period }: RuleResult): LoopCause {
  if (kind === 'truncated_arguments') return 'truncated_arguments';
  const newest = calls.at(-1);
  if (newest === undefined) return 'agent';
  const failure = calls.slice(-Math.max(period, 1)).find(({ answer }) => answer.failure)?.answer.failure;
  if (failure !== undefined) {
    const { failureClass } = failure;
    if (failureClass === 'permission') return 'missing_permission';
    if (failureClass === 'server' || failureClass === 'busy') return 'server';
    // Different attempts with the same refusal: the error does not say what would help.
    return kind === 'error_streak' && new Set(calls.map(({ request }) => request)).size > 1
      ? 'tool'
      : 'agent';
  }
  if (kind === 'same_answer') return 'tool';
  return kind === 'stuck_poll' ? 'server' : 'agent';
}

type CausedFinding = Pick<LoopFinding, 'kind' | 'cause' | 'missingArgument' | 'sameness' | 'calls'>;

const CAUSE_DESCRIPTIONS: Readonly<Record<LoopCause, (finding: CausedFinding) => string>> = {
  truncated_arguments: ({ missingArgument }) =>
    `The arguments probably arrived cut off: ${missingArgument} is missing. Does the value exceed the model's output limit? Accept it in parts, or say a largest size in the description.`,
  missing_permission: () =>
    'Access was denied each time: the agent cannot grant itself the permission, and the error does not send it to somebody who can.',
  server: ({ kind }) =>
    kind === 'stuck_poll'
      ? 'What the agent waits for does not come, and the answer never says for how long to wait, or when to give up.'
      : 'The server, or what it depends on, was not available: trying again does not help before it is.',
  tool: ({ kind }) =>
    kind === 'same_answer'
      ? 'The answer does not depend on the arguments: the tool ignores them, or always reports the same problem.'
      : 'The agent changed its arguments and got the same error: the error does not say what would be accepted.',
  agent: ({ sameness }) =>
    sameness === 'failure'
      ? 'The agent repeats a call that failed without changing it.'
      : 'The agent asks again for what it was already told.',
};

/** The cause in words. */
export function describeCause(finding: CausedFinding): string {
  if (finding.kind === 'burst' || finding.kind === 'budget') return '';
  return CAUSE_DESCRIPTIONS[finding.cause](finding);
}
