// Ended calls that their session has not learned from. Results are redacted in a pause after the response; what
// is still pending is redacted before the session's next decision, up to a limit.

import { type CompletedCall, type GuardSession, learnFromCall } from '../../core/guard/decide-call.ts';
import type { GuardPolicy } from '../../core/guard/guard-policy.ts';
import type { ToolAnnotations } from '../../core/model/catalogue.ts';
import type { ObservedCall, SpanIds } from '../../core/observer/observed-call.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import { neverThrow } from './never-throw.ts';

/**
 * Redactions of other calls that a call may wait for, and their steps: large values take some. Counted, not timed, so
 * that decisions do not depend on the machine's load.
 */
const MAX_CATCH_UP_CALLS = 8;
const MAX_CATCH_UP_STEPS = 80;

/** Limit of calls per session that wait for redaction; the excess comes from concurrent calls. */
const MAX_PENDING_CALLS = 64;

export interface UnlearnedCalls<Ids extends SpanIds> {
  add(observed: ObservedCall<Ids>, lesson: Lesson): void;
  /** Learns from calls in the order in which they started, redacting them within the step limit. */
  learn(session: GuardSession, policy: GuardPolicy): void;
  /** Returns the redaction steps of a call that was added; undefined for all others. */
  stepsOf(observed: ObservedCall<Ids>): Generator<undefined, RedactedCall> | undefined;
}

/** The session that learns from a call, and the identity of its request. */
interface Lesson {
  readonly session: GuardSession;
  readonly identity: () => number;
}

/** @param redact the redaction of an ended call, in steps */
export function createUnlearnedCalls<Ids extends SpanIds>(
  redact: (observed: ObservedCall<Ids>) => Generator<undefined, RedactedCall>,
): UnlearnedCalls<Ids> {
  const pendingBySession = new WeakMap<GuardSession, PendingCall[]>();
  const pendingCalls = new WeakMap<ObservedCall<Ids>, PendingCall>();
  return {
    add(observed, { session, identity }) {
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
    learn(session, policy) {
      const pending = pendingBySession.get(session);
      if (pending === undefined || pending.length === 0) return;
      let [steps, calls] = [0, 0];
      pending.sort((a, b) => a.startedAtUs - b.startedAtUs);
      const waiting = pending.filter((one) => {
        if (one.completedCall() === undefined && calls < MAX_CATCH_UP_CALLS) {
          while (steps < MAX_CATCH_UP_STEPS && one.advance()) steps += 1;
          calls += 1;
        }
        const lesson = one.completedCall();
        if (lesson === undefined) return true;
        if (lesson !== 'none') learnFromCall(session, lesson, policy);
        return false;
      });
      pendingBySession.set(session, waiting);
    },
    stepsOf: (observed) => pendingCalls.get(observed)?.steps(),
  };
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
