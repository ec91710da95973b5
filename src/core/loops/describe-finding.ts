// Describes a finding for display: which calls, how often, with what answer, and for how long.

import type { FindingKind, LoopCause, LoopKind } from '../model/loop-record.ts';
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
    `The arguments probably arrived cut off: ${missingArgument} is missing. Does the value exceed the model's output limit? Accept the value in parts, or state a maximum size in the description.`,
  missing_permission: () =>
    'Access was denied each time: the agent cannot grant itself the permission, and the error does not say who can.',
  server: ({ kind }) =>
    kind === 'stuck_poll'
      ? 'The expected change does not happen, and the answer does not say how long to wait or when to give up.'
      : 'The server or one of its dependencies was unavailable: retrying does not help until it is back.',
  tool: ({ kind }) =>
    kind === 'same_answer'
      ? 'The answer does not depend on the arguments: the tool ignores them, or always reports the same problem.'
      : 'The agent changed its arguments and got the same error: the error does not say what would be accepted.',
  agent: ({ sameness }) =>
    sameness === 'failure'
      ? 'The agent repeats a call that failed without changing it.'
      : 'The agent repeats a request that was already answered.',
};

/** The cause in words. */
export function describeCause(finding: CausedFinding): string {
  if (finding.kind === 'burst' || finding.kind === 'budget') return '';
  return CAUSE_DESCRIPTIONS[finding.cause](finding);
}

type FindingFacts = Omit<LoopFinding, 'sentence'>;

const FINDING_DESCRIPTIONS: Readonly<Record<FindingKind, (finding: FindingFacts) => string>> = {
  truncated_arguments: (finding) =>
    `${formatLastTool(finding)} was called ${finding.repeats} times without its required argument ${finding.missingArgument}, and refused each time`,
  repeat: (finding) =>
    `${formatLastTool(finding)} was called ${finding.repeats} times in a row with ${describeArguments(finding)}, and ${describeSameness(finding)} each time`,
  stuck_poll: (finding) =>
    `${formatLastTool(finding)} was polled ${finding.repeats} times with ${describeArguments(finding)}, and ${describeSameness(finding)} each time`,
  cycle: (finding) =>
    `The same ${finding.period} calls (${formatLap(finding)}) were repeated ${finding.repeats} times in the same order with ${describeArguments(finding)}, and ${describeSameness(finding)} in every round`,
  error_streak: (finding) =>
    `${formatTools(finding)} failed ${finding.repeats} times in the same way, with no success between${describeMissingFingerprints(finding)}`,
  no_effect: (finding) =>
    `${formatLastTool(finding)} was called ${finding.repeats} times with ${describeArguments(finding)} among other calls, and ${describeSameness(finding)} each time: nothing in between changed it`,
  same_answer: (finding) =>
    `${formatLastTool(finding)} gave ${finding.sameness === 'equal' ? 'exactly the same answer' : 'the same answer except for times and request ids'} ${finding.repeats} times, with ${finding.equalArguments ? 'the same' : 'different'} arguments`,
  nothing_new: (finding) =>
    `${finding.wastedCalls} calls repeated earlier requests and got the same answers again (${formatTools(finding)})`,
  burst: (finding) =>
    `${finding.repeats} calls arrived at more than one per second; this is a rate, not a loop`,
  budget: (finding) => `${finding.repeats} calls in one session; this is a length, not a loop`,
};

/** "The same arguments" only if exactly equal; otherwise the differing ones are named. */
function describeArguments({ equalArguments, changedArguments }: FindingFacts): string {
  if (equalArguments) return 'the same arguments';
  if (changedArguments.length === 0) return 'the same arguments except for request ids inside them';
  return `the same arguments except ${changedArguments.slice(0, 3).join(', ')}`;
}

export function describeFinding(finding: FindingFacts): string {
  const { onsetIndex, lastIndex, lastedMs, state } = finding;
  const span = `calls ${onsetIndex + 1} to ${lastIndex + 1}${lastedMs > 0 ? `, ${formatElapsed(lastedMs)}` : ''}`;
  return `${FINDING_DESCRIPTIONS[finding.kind](finding)} (${span}${state === 'over' ? ', over' : ''}).`;
}

/** How close a session came to each kind of loop. */
export interface NearMiss {
  readonly kind: LoopKind;
  readonly count: number;
  readonly suspectedAt: number;
  readonly toolName: string;
}

const NEAR_MISS_LABELS: Readonly<Record<LoopKind, string>> = {
  truncated_arguments: 'refusals for a missing argument',
  repeat: 'equal calls with equal answers in a row',
  stuck_poll: 'polls without a change',
  cycle: 'rounds of one cycle',
  error_streak: 'failures in the same way with no success between',
  no_effect: 'unchanged answers to the same call among others',
  same_answer: 'equal answers of one tool to different requests',
  nothing_new: 'revisits in a stretch',
};

/** Why a long session is not a loop. */
export function describeWhyNot(calls: number, fresh: number, nearest: readonly NearMiss[]): string {
  const share = Math.round((100 * fresh) / Math.max(1, calls));
  const news = `${calls} calls, but no loop: ${share} % of them brought an answer that had not been seen just before`;
  const reached = nearest
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count / b.suspectedAt - a.count / a.suspectedAt)
    .slice(0, 3)
    .map(
      ({ kind, count, suspectedAt, toolName }) =>
        `at most ${count} ${NEAR_MISS_LABELS[kind]} (${toolName}; ${suspectedAt} would be one)`,
    );
  return `${[news, ...reached].join('; ')}.`;
}

/** What the detector could not see. */
export function describeLimits(calls: number, unknown: number, keyIds: number): string | undefined {
  const parts = [
    unknown > 0 &&
      `${unknown} of ${calls} calls have no answer fingerprint, so only their failures were compared`,
    keyIds > 1 &&
      `answers were fingerprinted with ${keyIds} keys; fingerprints of different keys are not comparable`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? undefined : `${parts.join('; ')}.`;
}

function describeSameness({ sameness }: FindingFacts): string {
  switch (sameness) {
    case 'equal':
      return 'the same answer came back';
    case 'masked':
      return 'the same answer came back except for times and request ids';
    case 'noisy':
      return 'nearly the same answer came back';
    case 'failure':
      return 'it failed in the same way';
    default:
      return sameness satisfies never;
  }
}

function describeMissingFingerprints({ withoutFingerprints }: FindingFacts): string {
  return withoutFingerprints ? ' (compared by error code only: the answers have no fingerprints)' : '';
}

function formatLastTool({ calls }: FindingFacts): string {
  return calls.at(-1)?.toolName || 'a tool';
}

export function formatTools({ calls }: Pick<FindingFacts, 'calls'>): string {
  const names = [...new Set(calls.map(({ toolName }) => toolName))];
  return names.length > 4
    ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} other tools`
    : names.join(', ');
}

function formatLap({ calls, period }: FindingFacts): string {
  return calls
    .slice(-period)
    .map(({ toolName }) => toolName)
    .join(', ');
}

function formatElapsed(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
