// The guard in the host's process: decides before a tool runs and learns from its result. Results are
// redacted in a pause after the response, so a session's earlier calls are redacted before its next decision,
// up to a limit. Running calls are not considered.

import {
  type CompletedCall,
  decideCall,
  type GuardDecision,
  type GuardSession,
  learnFromCall,
} from '../../core/guard/decide-call.ts';
import type { GuardOptions, GuardPolicy } from '../../core/guard/guard-policy.ts';
import { createGuardSessions, effectivePolicy } from '../../core/guard/guard-sessions.ts';
import { acceptsNudge, type TextContent } from '../../core/guard/nudge.ts';
import { describeQuota, toBlockedResult } from '../../core/guard/refusal.ts';
import { toGuardPolicy } from '../../core/guard/to-guard-policy.ts';
import type { ToolAnnotations } from '../../core/model/catalogue.ts';
import type { CatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';
import { fieldOf, textFieldOf } from '../../core/observer/json-rpc.ts';
import type { ObservedCall, OpenCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import { isGuarded, toGuardRequest, withBlock, withQuota } from './guard-messages.ts';
import { neverThrow } from './never-throw.ts';

/**
 * Redaction steps (10 µs each) that a call may wait for: enough for about eight calls. Counted, not timed, so
 * that decisions do not depend on the machine's load.
 */
const MAX_CATCH_UP_STEPS = 80;

/** Limit of calls per session that wait for redaction; the excess comes from concurrent calls. */
const MAX_PENDING_CALLS = 64;

export interface GuardScope {
  readonly options: GuardOptions;
  readonly serverName: string;
  readonly catalogue: () => CatalogueSnapshot | undefined;
}

export interface CallGuard<Ids extends SpanIds> {
  /**
   * Decides about a call and records the decision on it.
   * @returns the JSON-RPC response to send instead of running the call; undefined when it may run
   */
  answerInstead(call: OpenCall<Ids>, scope: GuardScope): object | undefined;
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

interface AllowedCall {
  readonly session: GuardSession;
  readonly identity: () => number;
  readonly policy: GuardPolicy;
  readonly quotaRemaining: number | undefined;
  readonly nudge: string | undefined;
  /** The line about the budget to append. */
  readonly quotaLine: string | undefined;
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

  /** Learns from calls in the order in which they started, redacting them within the step limit. */
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
      quotaLine: includesQuotaText(policy) ? toQuotaLine(quotaRemaining) : undefined,
    });
    return undefined;
  }

  function createNudge(call: OpenCall<Ids>, response: object): TextContent | undefined {
    const { nudge, quotaLine } = allowedCalls.get(call) ?? {};
    const lines = [nudge, quotaLine].filter((line) => line !== undefined);
    if (lines.length === 0 || !acceptsNudge(fieldOf(response, 'result'))) return undefined;
    if (nudge !== undefined) call.notes.guard = { verdict: 'nudged', code: 'LOOP_DETECTED' };
    return { type: 'text', text: lines.join('\n') };
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
    isNudged(call) {
      const { nudge, quotaLine } = allowedCalls.get(call) ?? {};
      return nudge !== undefined || quotaLine !== undefined;
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

function includesQuota({ mode, quotaMeta }: GuardPolicy): boolean {
  return mode === 'enforce' && quotaMeta;
}

function includesQuotaText({ mode, quotaText }: GuardPolicy): boolean {
  return mode !== 'observe' && quotaText;
}

function toQuotaLine(quotaRemaining: number | undefined): string | undefined {
  return quotaRemaining === undefined ? undefined : describeQuota({ quota_remaining: quotaRemaining });
}

/**
 * An ended call that its session has not learned from. The queue drives its redaction during a pause, or the
 * session's next call, which cannot wait for one.
 */
interface PendingCall {
  readonly startedAtUs: number;
  /** The redacted call once it is complete; `none` if redaction failed. */
  completedCall(): CompletedCall | 'none' | undefined;
  /** Returns false when no step is left. */
  advance(): boolean;
  steps(): Generator<undefined, RedactedCall>;
}

interface PendingCallOptions {
  readonly startedAtUs: number;
  readonly work: Generator<undefined, RedactedCall>;
  /** Returns the identity of the request; called once. */
  readonly identity: () => number;
  /** Returns the tool's own annotations, if a listing contained them. */
  readonly annotationsOf: (toolName: string) => ToolAnnotations | undefined;
}

function createPendingCall({ startedAtUs, work, identity, annotationsOf }: PendingCallOptions): PendingCall {
  let redacted: RedactedCall | undefined;
  let completedCall: CompletedCall | 'none' | undefined;

  function advance(): boolean {
    if (completedCall !== undefined) return false;
    const isDone = neverThrow(() => {
      const step = work.next();
      if (!step.done) return false;
      redacted = step.value;
      const { call } = step.value;
      const annotations = annotationsOf(call.toolName);
      completedCall = {
        call: annotations === undefined ? call : { ...call, annotations },
        identity: identity(),
      };
      return true;
    }, true);
    // A failed redaction yields nothing to learn from, and the session's next call must not try it again.
    if (isDone) completedCall ??= 'none';
    return !isDone;
  }

  return {
    startedAtUs,
    completedCall: () => completedCall,
    advance,
    *steps() {
      while (advance()) yield;
      if (redacted === undefined) throw new Error('the call could not be worked out');
      return redacted;
    },
  };
}
