// May this call run? Decided from what is known of its session and nothing else: no clock, no I/O. Where refusals hold, a
// call that may not run is not counted and not learned from, in `observe` as in `enforce`, so that both decide the same.
// In `nudge` every call runs, so there every call is learned from.

import type { GuardedCall } from './answer-words.ts';
import { Budget } from './budget.ts';
import type { GuardPolicy } from './guard-policy.ts';
import { type ConfirmedLoop, LoopTracker } from './loop-tracker.ts';
import { isNudgeDue, type NudgeState, nextNudgeState, nudgeText } from './nudge.ts';
import { createLoopRefusal, createRateRefusal, type Refusal } from './refusal.ts';

/** After so long without a run, a call of a confirmed loop is let through once more: the world may have moved on. */
export const LOOP_PAUSE_MS = 300_000;

export interface GuardRequest {
  readonly toolName: string;
  /** Worked out when first needed: most calls are decided without. */
  readonly identity: () => number;
}

/** What a decision is made by: the policy that holds in the session, and milliseconds of a clock that never goes back. */
export interface GuardContext {
  readonly policy: GuardPolicy;
  readonly atMs: number;
}

export type GuardDecision =
  | {
      readonly status: 'run';
      /** How often the tool may run within the hour after this; undefined without a limit. */
      readonly quotaRemaining: number | undefined;
      /** What `nudge` and `enforce` say behind the answer; undefined for most calls. */
      readonly nudge: string | undefined;
      /** In `nudge`: the refusal that `enforce` would have given to a call that nothing is said to. */
      readonly overruled: Refusal['code'] | undefined;
    }
  | { readonly status: 'refuse'; readonly refusal: Refusal };

/** What the guard knows of one session. Bounded: a window of calls, counters of the last hour, nothing that grows. */
export interface GuardSession {
  readonly budget: Budget;
  loops: LoopTracker | undefined;
  nudgeState: NudgeState | undefined;
  /** Of the last call that was let through. */
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
 * Decides about a call, and counts it if it may run.
 *
 * @param session what was learned of it so far; calls that are still running are not known.
 */
export function decideCall(session: GuardSession, request: GuardRequest, terms: GuardContext): GuardDecision {
  const { mode } = terms.policy;
  const loop = findContinuedLoop(session, request, terms);
  const rate = findRateRefusal(session, request, terms);
  const isNudged =
    loop !== undefined && updateNudgeState(session, loop, { mode, mayRun: rate === undefined });
  // A loop teaches more than a rate.
  const refusal =
    loop === undefined || isNudged ? rate : createLoopRefusal(loop, remainingPauseMs(session, terms));
  if (refusal !== undefined && mode !== 'nudge') return { status: 'refuse', refusal };
  admitCall(session, request, { ...terms, isCounted: refusal === undefined });
  return {
    status: 'run',
    quotaRemaining: remainingQuota(session, request, terms),
    nudge: isNudged ? nudgeText(loop, mode) : undefined,
    overruled: isNudged ? undefined : refusal?.code,
  };
}

/** The loop that a call goes on with, unless its tool may. */
function findContinuedLoop(session: GuardSession, { toolName, identity }: GuardRequest, terms: GuardContext) {
  const { loops, isExcepted } = terms.policy;
  if (!loops || isExcepted(toolName) || remainingPauseMs(session, terms) <= 0) return undefined;
  return session.loops?.findContinuedLoop(identity);
}

/** Counts the call to its loop; says whether it is told of it. A call that cannot run is told by its refusal. */
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
  // Whatever an excepted tool waits for may have come.
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

/** What is learned from a call that was let through and answered. */
export interface CompletedCall {
  readonly call: GuardedCall;
  readonly identity: number;
}

/** Learns from a call; those of a session in the order they began. */
export function learnFromCall(
  session: GuardSession,
  { call, identity }: CompletedCall,
  policy: GuardPolicy,
): void {
  session.loops ??= new LoopTracker(policy.thresholds);
  session.loops.recordCall(call, identity);
  if (policy.isExcepted(call.toolName)) session.loops.clear();
}
