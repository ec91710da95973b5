// Decides whether a call may run, from the state of its session alone: no clock, no I/O. In `observe` and
// `enforce`, a refused call is neither counted nor learned from, so that both decide the same. In `nudge`
// every call runs, so every call is learned from.

import { Budget } from './budget.ts';
import type { GuardPolicy } from './guard-policy.ts';
import type { GuardedCall } from './loop-tracker.ts';
import { type ConfirmedLoop, LoopTracker } from './loop-tracker.ts';
import { isNudgeDue, type NudgeState, nextNudgeState, nudgeText } from './nudge.ts';
import { createLoopRefusal, createRateRefusal, type Refusal } from './refusal.ts';

/**
 * After this long without a run, one call of a confirmed loop is let through, because the situation may have
 * changed.
 */
export const LOOP_PAUSE_MS = 300_000;

export interface GuardRequest {
  readonly toolName: string;
  /** Lazy: most decisions do not need it. */
  readonly identity: () => number;
}

/** Inputs of a decision: the session's policy, and milliseconds of a monotonic clock. */
export interface GuardContext {
  readonly policy: GuardPolicy;
  readonly atMs: number;
}

export type GuardDecision =
  | {
      readonly status: 'run';
      /** Remaining runs of the tool within the next hour; undefined without a limit. */
      readonly quotaRemaining: number | undefined;
      /** The text that `nudge` and `enforce` append to the result; undefined for most calls. */
      readonly nudge: string | undefined;
      /** In `nudge`: the refusal that `enforce` would have given to a call that gets no text. */
      readonly overruled: Refusal['code'] | undefined;
    }
  | {
      readonly status: 'refuse';
      readonly refusal: Refusal;
      readonly quotaRemaining: number | undefined;
    };

/** The guard's state of one session. Bounded: a window of calls and counters of the last hour. */
export interface GuardSession {
  readonly budget: Budget;
  loops: LoopTracker | undefined;
  nudgeState: NudgeState | undefined;
  /** Time of the last call that was let through. */
  lastRunMs: number;
}

export function createGuardSession(): GuardSession {
  return {
    budget: new Budget(),
    loops: undefined,
    nudgeState: undefined,
    lastRunMs: Number.NEGATIVE_INFINITY,
  };
}

/**
 * Decides on a call, and counts it if it may run.
 *
 * @param session the state learned so far; it excludes calls that are still running.
 */
export function decideCall(session: GuardSession, request: GuardRequest, terms: GuardContext): GuardDecision {
  const { mode } = terms.policy;
  const loop = findContinuedLoop(session, request, terms);
  const rate = findRateRefusal(session, request, terms);
  const isNudged =
    loop !== undefined && updateNudgeState(session, loop, { mode, mayRun: rate === undefined });
  // A loop refusal is more useful to the agent than a rate limit.
  const refusal =
    loop === undefined || isNudged ? rate : createLoopRefusal(loop, remainingPauseMs(session, terms));
  if (refusal !== undefined && mode !== 'nudge')
    return { status: 'refuse', refusal, quotaRemaining: remainingQuota(session, request, terms) };
  admitCall(session, request, { ...terms, isCounted: refusal === undefined });
  return {
    status: 'run',
    quotaRemaining: remainingQuota(session, request, terms),
    nudge: isNudged ? nudgeText(loop, mode) : undefined,
    overruled: isNudged ? undefined : refusal?.code,
  };
}

/** Finds the loop that a call continues, unless its tool is excepted. */
function findContinuedLoop(session: GuardSession, { toolName, identity }: GuardRequest, terms: GuardContext) {
  const { loops, isExcepted } = terms.policy;
  if (!loops || isExcepted(toolName) || remainingPauseMs(session, terms) <= 0) return undefined;
  return session.loops?.findContinuedLoop(identity);
}

/**
 * Counts the call towards its loop and returns whether it gets a nudge. A refused call gets the refusal
 * instead.
 */
function updateNudgeState(
  session: GuardSession,
  loop: ConfirmedLoop,
  { mode, mayRun }: Pick<GuardPolicy, 'mode'> & { readonly mayRun: boolean },
): boolean {
  session.nudgeState = nextNudgeState(session.nudgeState, loop);
  return (mayRun || mode === 'nudge') && isNudgeDue(session.nudgeState, mode);
}

function findRateRefusal(
  { budget }: GuardSession,
  { toolName }: GuardRequest,
  { policy, atMs }: GuardContext,
): Refusal | undefined {
  const limit = policy.limitOf(toolName);
  if (budget.used(toolName, atMs) < limit) return undefined;
  return createRateRefusal(toolName, limit, budget.untilFreeMs(toolName, atMs));
}

function remainingPauseMs({ lastRunMs }: GuardSession, { atMs }: GuardContext): number {
  return lastRunMs + LOOP_PAUSE_MS - atMs;
}

function admitCall(
  session: GuardSession,
  { toolName, identity }: GuardRequest,
  { policy, atMs, isCounted }: GuardContext & { readonly isCounted: boolean },
): void {
  if (isCounted) session.budget.spend(toolName, atMs);
  // The condition that an excepted tool waits for may have occurred.
  if (policy.isExcepted(toolName)) session.loops?.clear();
  else session.loops?.admitCall(identity);
  session.lastRunMs = atMs;
}

function remainingQuota(
  { budget }: GuardSession,
  { toolName }: GuardRequest,
  { policy, atMs }: GuardContext,
) {
  const limit = policy.limitOf(toolName);
  return Number.isFinite(limit) ? limit - budget.used(toolName, atMs) : undefined;
}

/** What is learned from a completed call. */
export interface CompletedCall {
  readonly call: GuardedCall;
  readonly identity: number;
}

/** Learns from a call; calls of a session must come in start order. */
export function learnFromCall(
  session: GuardSession,
  { call, identity }: CompletedCall,
  policy: GuardPolicy,
): void {
  session.loops ??= new LoopTracker(policy.thresholds);
  session.loops.recordCall(call, identity);
  if (policy.isExcepted(call.toolName)) session.loops.clear();
}
