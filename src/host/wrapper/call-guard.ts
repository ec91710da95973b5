// The guard in a host's process: asked before a tool runs, told what came of it after. Loaded only where a host asks for
// one. Results are worked out after their answer, in a pause; so before the next call of a session is decided about, what
// its earlier calls brought is worked out at once, up to a bound. Calls still running are not known.

import { toBlockedResult } from '../../core/guard/blocked-result.ts';
import { decide, type GuardRequest, type GuardSession, learn } from '../../core/guard/decide.ts';
import { createGuardSessions, modeIn } from '../../core/guard/guard-sessions.ts';
import {
  type GuardMode,
  type GuardOptions,
  type GuardPolicy,
  toGuardPolicy,
} from '../../core/guard/policy.ts';
import { requestIdentity } from '../../core/guard/request-identity.ts';
import type { Sighting } from '../../core/observer/catalogue-sighting.ts';
import { fieldOf, isRecord, metaOf, textOf } from '../../core/observer/json-rpc.ts';
import type { ObservedCall, OpenCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { Reduced } from '../../core/observer/reduce-call.ts';
import { METHOD_TOOLS_CALL } from '../../core/semconv/conventions.ts';
import { createPendingCall, type PendingCall } from './pending-call.ts';

/**
 * Steps of reduction that a call may wait for: some eight calls' worth, and mostly one is waiting. Counted, not timed, so
 * that what is decided does not depend on how busy a machine is; a step is some 10 µs, and well under 1 ms at worst.
 */
const CATCH_UP_STEPS = 80;

/** Calls of one session that wait to be learned; more ran at once than anybody will ask about. */
const MOST_PENDING = 64;

const LONGEST_NAME = 256;

export interface GuardScope {
  readonly options: GuardOptions;
  readonly serverName: string;
  readonly catalogue: () => Sighting | undefined;
}

export interface CallGuard<Ids extends SpanIds> {
  /**
   * Decides about a call that is about to be handled, and notes on it what was decided.
   *
   * @returns the JSON-RPC response to give instead of running it; undefined where it may run.
   */
  answerInstead(call: OpenCall<Ids>, scope: GuardScope): object | undefined;
  /** A call ended: it waits to be learned from. */
  ended(observed: ObservedCall<Ids>): void;
  /** The reduction of an ended call that waits here; undefined for all others. */
  stepsOf(observed: ObservedCall<Ids>): Generator<undefined, Reduced> | undefined;
  /** The host's response with what is left of the tool's budget; undefined where nobody asked for that. */
  withQuota(call: OpenCall<Ids>, response: object): object | undefined;
}

/** What holds for one call: the host's wish, and how far its session allows it. */
interface Terms {
  readonly scope: GuardScope;
  readonly policy: GuardPolicy;
  readonly mode: GuardMode;
}

/** A call that was let through. */
interface Ticket {
  readonly session: GuardSession;
  readonly identity: () => number;
  /** Whether anybody asks about loops. */
  readonly learns: boolean;
  readonly quotaRemaining: number | undefined;
}

/**
 * Creates the guard of a process.
 *
 * @param reduce the reduction of an ended call, in steps.
 */
export function createCallGuard<Ids extends SpanIds>(
  reduce: (observed: ObservedCall<Ids>) => Generator<undefined, Reduced>,
): CallGuard<Ids> {
  const sessions = createGuardSessions();
  const policies = new WeakMap<GuardOptions, { readonly policy: GuardPolicy | undefined }>();
  const tickets = new WeakMap<OpenCall<Ids>, Ticket>();
  const pendingOf = new WeakMap<GuardSession, PendingCall[]>();
  const pendingCalls = new WeakMap<ObservedCall<Ids>, PendingCall>();

  function policyOf(options: GuardOptions): GuardPolicy | undefined {
    const known = policies.get(options) ?? { policy: toGuardPolicy(options) };
    policies.set(options, known);
    return known.policy;
  }

  /** Learns what is worked out, in the order the calls began, and works out what is not while there is time. */
  function catchUp(session: GuardSession): void {
    const pending = pendingOf.get(session);
    if (pending === undefined || pending.length === 0) return;
    let steps = 0;
    pending.sort((a, b) => a.startedAtUs - b.startedAtUs);
    const waiting = pending.filter((one) => {
      while (steps < CATCH_UP_STEPS && one.advance()) steps += 1;
      const lesson = one.lesson();
      if (lesson === undefined) return true;
      if (lesson !== 'none') learn(session, lesson.call, lesson.identity);
      return false;
    });
    pendingOf.set(session, waiting);
  }

  function admit(call: OpenCall<Ids>, session: GuardSession, { scope, policy, mode }: Terms) {
    if (policy.loops) catchUp(session);
    const request = toRequest(call);
    const decision = decide(session, request, { policy, atMs: call.startedAt.monotonicMs });
    const tellsQuota = mode === 'enforce' && policy.quotaMeta;
    if (decision.status === 'run') {
      const quotaRemaining = tellsQuota ? decision.quotaRemaining : undefined;
      const { identity } = request;
      tickets.set(call, { session, identity, learns: policy.loops, quotaRemaining });
      return undefined;
    }
    const { refusal } = decision;
    call.notes.guard = { blocked: mode === 'enforce', code: refusal.code };
    if (mode === 'observe') return undefined;
    const result = toBlockedResult(refusal, {
      era: call.era,
      declaresOutput: scope.catalogue()?.outputSchemaOf(request.toolName) !== undefined,
      quotaRemaining: tellsQuota && refusal.code === 'RATE_LIMITED' ? 0 : undefined,
    });
    return { jsonrpc: '2.0', id: call.requestId, result };
  }

  return {
    answerInstead(call, scope) {
      const policy = isToolCall(call) ? policyOf(scope.options) : undefined;
      const mode = policy && modeIn(call.session, policy.mode);
      if (policy === undefined || mode === undefined) return undefined;
      return admit(call, sessions.of(scope.serverName, call.session), { scope, policy, mode });
    },
    ended(observed) {
      const ticket = tickets.get(observed.open);
      if (ticket === undefined || !ticket.learns) return;
      const { session, identity } = ticket;
      const startedAtUs = observed.open.startedAt.wallUs;
      const pending = createPendingCall({
        startedAtUs,
        work: reduce(observed),
        identity,
        annotationsOf: (toolName) => observed.sighting?.annotationsOf(toolName),
      });
      pendingCalls.set(observed, pending);
      pendingOf.set(session, [...(pendingOf.get(session) ?? []), pending].slice(-MOST_PENDING));
    },
    stepsOf: (observed) => pendingCalls.get(observed)?.steps(),
    withQuota(call, response) {
      const quotaRemaining = tickets.get(call)?.quotaRemaining;
      const result = fieldOf(response, 'result');
      if (quotaRemaining === undefined || !isRecord(result)) return undefined;
      return { ...response, result: { ...result, _meta: { ...metaOf(result), quotaRemaining } } };
    },
  };
}

/** A further round of a call that waited for input is not another call. */
function isToolCall({ side, method, params }: OpenCall): boolean {
  const isRound =
    fieldOf(params, 'inputResponses') !== undefined || fieldOf(params, 'requestState') !== undefined;
  return side === 'server' && method === METHOD_TOOLS_CALL && !isRound;
}

function toRequest({ params }: OpenCall): GuardRequest {
  const toolName = textOf(params, 'name').slice(0, LONGEST_NAME);
  let identity: number | undefined;
  return {
    toolName,
    identity() {
      identity ??= requestIdentity(toolName, fieldOf(params, 'arguments'));
      return identity;
    },
  };
}
