// The guard in the host's process, loaded only when enabled: decides before a tool runs and learns from its
// result. Results are redacted in a pause after the response, so before the next call of a session is
// decided, its earlier calls are redacted at once, up to a limit. Running calls are not considered.

import { toBlockedResult } from '../../core/guard/blocked-result.ts';
import {
  decideCall,
  type GuardDecision,
  type GuardSession,
  learnFromCall,
} from '../../core/guard/decide-call.ts';
import type { GuardOptions, GuardPolicy } from '../../core/guard/guard-policy.ts';
import { createGuardSessions, effectivePolicy } from '../../core/guard/guard-sessions.ts';
import { acceptsNudge, type TextContent } from '../../core/guard/nudge.ts';
import { toGuardPolicy } from '../../core/guard/to-guard-policy.ts';
import type { CatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';
import { fieldOf, textFieldOf } from '../../core/observer/json-rpc.ts';
import type { ObservedCall, OpenCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import { isGuarded, toGuardRequest } from './guard-messages.ts';
import { createPendingCall, type PendingCall } from './pending-call.ts';
import { withBlock, withQuota } from './revised-response.ts';

/**
 * Redaction steps that a call may wait for: enough for about eight calls, and usually one is pending. They
 * are counted, not timed, so that decisions do not depend on the machine's load. A step takes about 10 µs,
 * and well under 1 ms at worst.
 */
const MAX_CATCH_UP_STEPS = 80;

/**
 * Limit of ended calls per session that the guard has not learned from; the excess comes from concurrent
 * calls.
 */
const MAX_PENDING_CALLS = 64;

export interface GuardScope {
  readonly options: GuardOptions;
  readonly serverName: string;
  readonly catalogue: () => CatalogueSnapshot | undefined;
}

export interface CallGuard<Ids extends SpanIds> {
  /**
   * Decides about a call before it is handled, and records the decision on it.
   * @returns the JSON-RPC response to send instead of running the call; undefined when it may run
   */
  answerInstead(call: OpenCall<Ids>, scope: GuardScope): object | undefined;
  /** Registers an ended call to learn from. */
  recordEnded(observed: ObservedCall<Ids>): void;
  /** Returns the redaction steps of an ended call that is registered here; undefined for all others. */
  getRedactionSteps(observed: ObservedCall<Ids>): Generator<undefined, RedactedCall> | undefined;
  /** Whether the response to an open call gets a message appended. */
  isNudged(call: OpenCall<Ids>): boolean;
  /**
   * Returns the block to append to the content of a response, and records it on the call. Undefined when
   * there is none, or when the result cannot hold it.
   */
  createNudge(call: OpenCall<Ids>, response: object): TextContent | undefined;
  /** Returns the changed response to send; undefined leaves it unchanged. */
  reviseResponse(call: OpenCall<Ids>, response: object): object | undefined;
}

/** The policy for one call: the host's options, limited by what its session supports. */
interface CallPolicy {
  readonly scope: GuardScope;
  readonly policy: GuardPolicy;
}

/** A call that was allowed to run. */
interface AllowedCall {
  readonly session: GuardSession;
  readonly identity: () => number;
  readonly policy: GuardPolicy;
  readonly quotaRemaining: number | undefined;
  readonly nudge: string | undefined;
}

export interface CallGuardOptions {
  /** Called with the reason when loop detection was requested but is not possible. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * Creates the guard of a process.
 * @param redact the redaction of an ended call, in steps
 */
export function createCallGuard<Ids extends SpanIds>(
  redact: (observed: ObservedCall<Ids>) => Generator<undefined, RedactedCall>,
  { onProblem }: CallGuardOptions = {},
): CallGuard<Ids> {
  const sessions = createGuardSessions();
  const policies = new WeakMap<GuardOptions, { readonly policy: GuardPolicy | undefined }>();
  const allowedCalls = new WeakMap<OpenCall<Ids>, AllowedCall>();
  const pendingBySession = new WeakMap<GuardSession, PendingCall[]>();
  const pendingCalls = new WeakMap<ObservedCall<Ids>, PendingCall>();

  function policyOf(options: GuardOptions): GuardPolicy | undefined {
    const known = policies.get(options);
    if (known !== undefined) return known.policy;
    const policy = toGuardPolicy(options);
    policies.set(options, { policy });
    if (policy !== undefined && policy.problem !== '') onProblem?.(policy.problem);
    return policy;
  }

  /**
   * Learns from redacted calls in the order in which they started, and redacts the remaining ones within the
   * step limit.
   */
  function learnPending(session: GuardSession, policy: GuardPolicy): void {
    const pending = pendingBySession.get(session);
    if (pending === undefined || pending.length === 0) return;
    let steps = 0;
    pending.sort((a, b) => a.startedAtUs - b.startedAtUs);
    const waiting = pending.filter((one) => {
      while (steps < MAX_CATCH_UP_STEPS && one.advance()) steps += 1;
      const lesson = one.completedCall();
      if (lesson === undefined) return true;
      if (lesson !== 'none') learnFromCall(session, lesson, policy);
      return false;
    });
    pendingBySession.set(session, waiting);
  }

  function decideOpenCall(call: OpenCall<Ids>, session: GuardSession, terms: CallPolicy): object | undefined {
    const { policy } = terms;
    if (policy.loops) learnPending(session, policy);
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
    });
    return undefined;
  }

  function createNudge(call: OpenCall<Ids>, response: object): TextContent | undefined {
    const text = allowedCalls.get(call)?.nudge;
    if (text === undefined || !acceptsNudge(fieldOf(response, 'result'))) return undefined;
    call.notes.guard = { verdict: 'nudged', code: 'LOOP_DETECTED' };
    return { type: 'text', text };
  }

  return {
    answerInstead(call, scope) {
      const configuredPolicy = isGuarded(call) ? policyOf(scope.options) : undefined;
      const policy = configuredPolicy && effectivePolicy(call.session, configuredPolicy);
      if (policy === undefined) return undefined;
      return decideOpenCall(call, sessions.of(scope.serverName, call.session), { scope, policy });
    },
    recordEnded(observed) {
      const ticket = allowedCalls.get(observed.open);
      if (ticket === undefined || !ticket.policy.loops) return;
      const { session, identity } = ticket;
      const startedAtUs = observed.open.startedAt.wallUs;
      const pending = createPendingCall({
        startedAtUs,
        work: redact(observed),
        identity,
        annotationsOf: (toolName) => observed.snapshot?.annotationsOf(toolName),
      });
      pendingCalls.set(observed, pending);
      pendingBySession.set(
        session,
        [...(pendingBySession.get(session) ?? []), pending].slice(-MAX_PENDING_CALLS),
      );
    },
    getRedactionSteps: (observed) => pendingCalls.get(observed)?.steps(),
    isNudged: (call) => allowedCalls.get(call)?.nudge !== undefined,
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

/** Records the decision; returns the response to send in mode `enforce`. */
function refuseCall(
  call: OpenCall,
  { refusal }: Extract<GuardDecision, { readonly status: 'refuse' }>,
  { scope, policy }: CallPolicy,
): object | undefined {
  const isBlocked = policy.mode === 'enforce';
  call.notes.guard = { verdict: isBlocked ? 'blocked' : 'would_block', code: refusal.code };
  if (!isBlocked) return undefined;
  const result = toBlockedResult(refusal, {
    era: call.era,
    declaresOutput: scope.catalogue()?.outputSchemaOf(textFieldOf(call.params, 'name')) !== undefined,
    quotaRemaining: includesQuota(policy) && refusal.code === 'RATE_LIMITED' ? 0 : undefined,
  });
  return { jsonrpc: '2.0', id: call.requestId, result };
}

function includesQuota({ mode, quotaMeta }: GuardPolicy): boolean {
  return mode === 'enforce' && quotaMeta;
}
