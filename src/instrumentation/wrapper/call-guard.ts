// The guard in the host's process: decides before a tool runs and learns from its result. Running calls are not
// considered.

import { classifyEnding } from '../../core/classification/classify-ending.ts';
import { decideCall, type GuardDecision, type GuardSession } from '../../core/guard/decide-call.ts';
import type { GuardOptions, GuardPolicy } from '../../core/guard/guard-policy.ts';
import { createGuardSessions, effectivePolicy } from '../../core/guard/guard-sessions.ts';
import { acceptsNudge, type TextContent } from '../../core/guard/nudge.ts';
import { findRecoveryHint, type MetError, type RecoveryHint } from '../../core/guard/recovery-hints.ts';
import { describeQuota, toBlockedResult } from '../../core/guard/refusal.ts';
import { toGuardPolicy } from '../../core/guard/to-guard-policy.ts';
import type { CatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';
import { fieldOf, textFieldOf } from '../../core/observer/json-rpc.ts';
import type { ObservedCall, OpenCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import { createCallReplays, type SettledAnswer } from './call-replays.ts';
import { isGuarded, toGuardRequest, withBlock, withQuota } from './guard-messages.ts';
import { createUnlearnedCalls } from './unlearned-calls.ts';

export interface GuardScope {
  readonly options: GuardOptions;
  readonly serverName: string;
  readonly catalogue: () => CatalogueSnapshot | undefined;
}

export interface CallGuard<Ids extends SpanIds> {
  /**
   * Decides about a call and records the decision on it.
   * @param settle called later with the decision about a call that is `waiting`, unless it ends before
   * @returns the JSON-RPC response to send instead of running the call; undefined when it may run
   */
  answerInstead(
    call: OpenCall<Ids>,
    scope: GuardScope,
    settle: (answer: SettledAnswer) => void,
  ): object | 'waiting' | undefined;
  recordEnded(observed: ObservedCall<Ids>): void;
  /** Returns the redaction steps of an ended call that is registered here; undefined for all others. */
  getRedactionSteps(observed: ObservedCall<Ids>): Generator<undefined, RedactedCall> | undefined;
  /** Whether a text may have to be appended to the result. */
  isNudged(call: OpenCall<Ids>): boolean;
  /** Returns the block to append to the result's content, if any, and records it on the call. */
  createNudge(call: OpenCall<Ids>, response: object): TextContent | undefined;
  /** Returns the changed response to send; undefined leaves it unchanged. */
  reviseResponse(call: OpenCall<Ids>, response: object): object | undefined;
}

/** The policy for one call: the host's options, limited by what its session supports. */
interface CallPolicy {
  readonly scope: GuardScope;
  readonly policy: GuardPolicy;
}

interface ReplayTerms extends Pick<CallPolicy, 'scope'> {
  readonly decide: () => object | undefined;
  readonly settle: (answer: SettledAnswer) => void;
}

interface AllowedCall {
  readonly session: GuardSession;
  readonly identity: () => number;
  readonly policy: GuardPolicy;
  readonly quotaRemaining: number | undefined;
  readonly nudge: string | undefined;
  /** The line about the budget to append. */
  readonly quotaLine: string | undefined;
  /** The lines that may be appended to an error. */
  readonly hints: readonly RecoveryHint[] | undefined;
}

export interface CallGuardOptions {
  /** Called with the reason when loop detection was requested but is not possible. */
  readonly onProblem?: (problem: string) => void;
}

/** @param redact the redaction of an ended call, in steps */
export function createCallGuard<Ids extends SpanIds>(
  redact: (observed: ObservedCall<Ids>) => Generator<undefined, RedactedCall>,
  { onProblem }: CallGuardOptions = {},
): CallGuard<Ids> {
  const sessions = createGuardSessions();
  const policies = new WeakMap<GuardOptions, { readonly policy: GuardPolicy | undefined }>();
  const allowedCalls = new WeakMap<OpenCall<Ids>, AllowedCall>();
  const unlearned = createUnlearnedCalls(redact);
  const replays = createCallReplays<OpenCall<Ids>>();

  function policyOf(options: GuardOptions): GuardPolicy | undefined {
    const known = policies.get(options);
    if (known !== undefined) return known.policy;
    const policy = toGuardPolicy(options);
    policies.set(options, { policy });
    if (policy !== undefined && policy.problem !== '') onProblem?.(policy.problem);
    return policy;
  }

  function decideOpenCall(call: OpenCall<Ids>, session: GuardSession, terms: CallPolicy): object | undefined {
    const { policy } = terms;
    if (policy.loops) unlearned.learn(session, policy);
    const request = toGuardRequest(call);
    const decision = decideCall(session, request, { policy, atMs: call.startedAt.monotonicMs });
    if (decision.status === 'refuse') return refuseCall(call, decision, terms);
    const { overruled, quotaRemaining, nudge } = decision;
    if (overruled !== undefined) call.notes.guard = { verdict: 'would_block', code: overruled };
    allowedCalls.set(call, {
      session,
      identity: request.identity,
      policy,
      quotaRemaining: includesQuota(policy) ? quotaRemaining : undefined,
      nudge: policy.mode === 'observe' ? undefined : nudge,
      quotaLine: includesQuotaText(policy) ? toQuotaLine(quotaRemaining) : undefined,
      hints: policy.mode === 'observe' ? undefined : policy.recoveryHints?.(request.toolName),
    });
    return undefined;
  }

  function decideWithReplays(
    call: OpenCall<Ids>,
    { scope: { serverName }, decide, settle }: ReplayTerms,
  ): object | 'waiting' | undefined {
    function decideToRun(): object | undefined {
      const answer = decide();
      if (answer === undefined) replays.start(call, serverName);
      return answer;
    }
    const found = replays.find(call, serverName, (replayed) => {
      const answer = replayed ?? decideToRun();
      settle(answer ?? 'run');
      if (replayed === undefined && answer !== undefined) replays.refuse(call, serverName);
    });
    return found ?? decideToRun();
  }

  function createNudge(call: OpenCall<Ids>, response: object): TextContent | undefined {
    const allowed = allowedCalls.get(call);
    if (allowed === undefined || !acceptsNudge(fieldOf(response, 'result'))) return undefined;
    return createTextBlock(call, response, allowed);
  }

  return {
    answerInstead(call, scope, settle) {
      const configuredPolicy = isGuarded(call) ? policyOf(scope.options) : undefined;
      const policy = configuredPolicy && effectivePolicy(call.session, configuredPolicy);
      if (policy === undefined) return undefined;
      const decide = () =>
        decideOpenCall(call, sessions.of(scope.serverName, call.session), { scope, policy });
      return replaysAnswers(policy) ? decideWithReplays(call, { scope, decide, settle }) : decide();
    },
    recordEnded(observed) {
      replays.recordEnded(observed);
      const allowed = allowedCalls.get(observed.open);
      if (allowed?.policy.loops) unlearned.add(observed, allowed);
    },
    getRedactionSteps: (observed) => unlearned.stepsOf(observed),
    isNudged(call) {
      const { nudge, quotaLine, hints } = allowedCalls.get(call) ?? {};
      return [nudge, quotaLine, hints].some((one) => one !== undefined);
    },
    createNudge,
    reviseResponse(call, response) {
      const block = createNudge(call, response);
      const nudged = block && withBlock(response, block);
      const quotaRemaining = allowedCalls.get(call)?.quotaRemaining;
      if (quotaRemaining === undefined) return nudged;
      return withQuota(nudged ?? response, quotaRemaining);
    },
  };
}

/** Returns the response to send in mode `enforce`. */
function refuseCall(
  call: OpenCall,
  { refusal, quotaRemaining }: Extract<GuardDecision, { readonly status: 'refuse' }>,
  { scope, policy }: CallPolicy,
): object | undefined {
  const isBlocked = policy.mode === 'enforce';
  call.notes.guard = { verdict: isBlocked ? 'blocked' : 'would_block', code: refusal.code };
  if (!isBlocked) return undefined;
  const result = toBlockedResult(refusal, {
    era: call.era,
    declaresOutput: scope.catalogue()?.outputSchemaOf(textFieldOf(call.params, 'name')) !== undefined,
    quotaRemaining,
    quotaMeta: includesQuota(policy) && refusal.code === 'RATE_LIMITED',
    quotaText: policy.quotaText,
  });
  return { jsonrpc: '2.0', id: call.requestId, result };
}

/** The lines to append to the result of a call, which are recorded on it. */
function createTextBlock(
  call: OpenCall,
  response: object,
  { nudge, quotaLine, hints }: AllowedCall,
): TextContent | undefined {
  const hint = hints && findRecoveryHint(hints, toMetError(call, response));
  const lines = [nudge, hint, quotaLine].filter((line) => line !== undefined);
  if (lines.length === 0) return undefined;
  if (nudge !== undefined) call.notes.guard = { verdict: 'nudged', code: 'LOOP_DETECTED' };
  else if (hint !== undefined) call.notes.guard ??= { verdict: 'nudged', code: 'RECOVERY_HINT' };
  return { type: 'text', text: lines.join('\n') };
}

/** Classified as the call will be once it has ended. */
function toMetError({ method, params, notes }: OpenCall, response: object): MetError {
  const { exception, validation } = notes;
  const { errorCode, errorArgument } = classifyEnding({
    ...{ method, kind: 'result', result: fieldOf(response, 'result'), toolName: textFieldOf(params, 'name') },
    ...(exception && { exception }),
    ...(validation && { validation }),
  });
  return { code: errorCode, argument: errorArgument };
}

function replaysAnswers({ mode, replaysAnswers }: GuardPolicy): boolean {
  return mode === 'enforce' && replaysAnswers;
}

function includesQuota({ mode, quotaMeta }: GuardPolicy): boolean {
  return mode === 'enforce' && quotaMeta;
}

function includesQuotaText({ mode, quotaText }: GuardPolicy): boolean {
  return mode !== 'observe' && quotaText;
}

function toQuotaLine(quotaRemaining: number | undefined): string | undefined {
  return quotaRemaining === undefined ? undefined : describeQuota({ quota_remaining: quotaRemaining });
}
