// The guard in a host's process: asked before a tool runs, told what came of it after. Loaded only where a host asks for
// one. Results are worked out after their answer, in a pause; so before the next call of a session is decided about, what
// its earlier calls brought is worked out at once, up to a bound. Calls still running are not known.

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
 * Steps of reduction that a call may wait for: some eight calls' worth, and mostly one is waiting. Counted, not timed, so
 * that what is decided does not depend on how busy a machine is; a step is some 10 µs, and well under 1 ms at worst.
 */
const MAX_CATCH_UP_STEPS = 80;

/** Calls of one session that wait to be learned; more ran at once than anybody will ask about. */
const MAX_PENDING_CALLS = 64;

export interface GuardScope {
  readonly options: GuardOptions;
  readonly serverName: string;
  readonly catalogue: () => CatalogueSnapshot | undefined;
}

export interface CallGuard<Ids extends SpanIds> {
  /**
   * Decides about a call that is about to be handled, and notes on it what was decided.
   *
   * @returns the JSON-RPC response to give instead of running it; undefined where it may run.
   */
  answerInstead(call: OpenCall<Ids>, scope: GuardScope): object | undefined;
  /** A call ended: it waits to be learned from. */
  recordEnded(observed: ObservedCall<Ids>): void;
  /** The reduction of an ended call that waits here; undefined for all others. */
  getRedactionSteps(observed: ObservedCall<Ids>): Generator<undefined, RedactedCall> | undefined;
  /** Whether the answer to a call that is still open is to get a word. */
  isNudged(call: OpenCall<Ids>): boolean;
  /**
   * The word to append to the content of a response, and notes on the call that it was; undefined where there is none, or
   * where the result has no room for it.
   */
  createNudge(call: OpenCall<Ids>, response: object): TextContent | undefined;
  /** The host's response as it shall leave instead; undefined leaves it as it is. */
  reviseResponse(call: OpenCall<Ids>, response: object): object | undefined;
}

/** What holds for one call: the host's wish, as far as its session allows it. */
interface CallPolicy {
  readonly scope: GuardScope;
  readonly policy: GuardPolicy;
}

/** A call that was let through. */
interface AllowedCall {
  readonly session: GuardSession;
  readonly identity: () => number;
  readonly policy: GuardPolicy;
  readonly quotaRemaining: number | undefined;
  readonly nudge: string | undefined;
}

/** What the guard of a process is made with. */
export interface CallGuardOptions {
  /** Hears why a guard that was asked for judges no loops. */
  readonly onProblem?: (problem: string) => void;
}

/**
 * Creates the guard of a process.
 *
 * @param redact the reduction of an ended call, in steps.
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

  /** Learns what is worked out, in the order the calls began, and works out what is not while there is time. */
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

/** Notes what was decided; returns the response to give, in `enforce`. */
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
