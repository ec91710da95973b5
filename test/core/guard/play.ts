// A session played against the guard: each request is decided, and if it ran, learned from as it would be: reduced by the
// functions the observer uses.

import {
  createGuardSession,
  decideCall,
  type GuardDecision,
  learnFromCall,
} from '../../../src/core/guard/decide-call.ts';
import type { GuardOptions } from '../../../src/core/guard/guard-policy.ts';
import type { GuardedCall } from '../../../src/core/guard/loop-tracker.ts';
import { requestIdentity } from '../../../src/core/guard/request-identity.ts';
import { toGuardPolicy } from '../../../src/core/guard/to-guard-policy.ts';
import { redactArguments } from '../../../src/core/values/redact-arguments.ts';
import { fingerprintFailure } from '../../../src/core/values/redact-message.ts';
import { redactResult } from '../../../src/core/values/redact-result.ts';
import { SHAPE_REDACTION } from '../dialects/redaction.ts';

export interface Step {
  readonly tool: string;
  readonly args?: unknown;
  /** Text that came back; one that begins with an exclamation mark is an error. */
  readonly answer: string;
  /** Since the step before. */
  readonly pauseMs?: number;
}

export const step = (tool: string, args: unknown, answer: string, pauseMs = 900): Step => ({
  tool,
  args,
  answer,
  pauseMs,
});

export const repeatStep = (count: number, ...steps: Step[]): Step[] => Array(count).fill(steps).flat();

const ENFORCE: GuardOptions = { mode: 'enforce' };

/** Decides about each step of one session in its order. */
export function playSession(steps: readonly Step[], options: GuardOptions = ENFORCE): GuardDecision[] {
  const policy = toGuardPolicy(options);
  if (policy === undefined) throw new Error('no guard');
  const session = createGuardSession();
  let atMs = 0;
  return steps.map(({ tool, args, answer, pauseMs = 900 }) => {
    atMs += pauseMs;
    const identity = requestIdentity(tool, args);
    const decision = decideCall(session, { toolName: tool, identity: () => identity }, { policy, atMs });
    if (decision.status === 'run')
      learnFromCall(session, { call: toCall({ tool, args, answer }, atMs), identity }, policy);
    return decision;
  });
}

/** `.` ran, `N` ran with a word, `L` was refused as a loop, `R` for its rate; `l` and `r` ran all the same. */
export function verdictLetters(decisions: readonly GuardDecision[]): string {
  return decisions.map(letterOf).join('');
}

function letterOf(decision: GuardDecision): string {
  const letters = { LOOP_DETECTED: 'L', RATE_LIMITED: 'R' } as const;
  if (decision.status === 'refuse') return letters[decision.refusal.code];
  if (decision.nudge !== undefined) return 'N';
  return decision.overruled === undefined ? '.' : letters[decision.overruled].toLowerCase();
}

export function toCall({ tool, args, answer }: Step, atMs: number): GuardedCall {
  const failed = answer.startsWith('!');
  const result = { content: [{ type: 'text', text: answer }], ...(failed && { isError: true }) };
  return {
    traceId: '',
    spanId: '',
    serverName: 'notes',
    toolName: tool,
    startedAtUs: 1_700_000_000_000_000 + atMs * 1000,
    durationUs: 20_000,
    outcome: failed ? 'tool_error' : 'ok',
    errorCode: failed ? 'AMBIGUOUS' : '',
    errorMessage: failed ? answer : '',
    errorArgument: '',
    errorFingerprint: failed ? fingerprintFailure(answer, SHAPE_REDACTION) : '',
    errorInResult: false,
    ...redactArguments(args, undefined, SHAPE_REDACTION),
    ...redactResult(result, SHAPE_REDACTION),
  };
}
