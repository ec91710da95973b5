// May this call run? Decided from what is known of its session and nothing else: no clock, no I/O. A call that may not
// is not counted and not learned from, in `observe` as in `enforce`, so that both decide the same.

import type { GuardedCall } from './answer-words.ts';
import { Budget } from './budget.ts';
import { LoopWatch } from './loop-watch.ts';
import type { GuardPolicy } from './policy.ts';
import { type Refusal, refuseLoop, refuseRate } from './refusal.ts';

/** After so long without a run, a call of a confirmed loop is let through once more: the world may have moved on. */
export const LOOP_PAUSE_MS = 300_000;

export interface GuardRequest {
  readonly toolName: string;
  /** Worked out when first needed: most calls are decided without. */
  readonly identity: () => number;
}

export type Decision =
  | {
      readonly status: 'run';
      /** How often the tool may run within the hour after this; undefined without a limit. */
      readonly quotaRemaining: number | undefined;
    }
  | { readonly status: 'refuse'; readonly refusal: Refusal };

/** What the guard knows of one session. Bounded: a window of calls, counters of the last hour, nothing that grows. */
export interface GuardSession {
  readonly budget: Budget;
  loops: LoopWatch | undefined;
  /** Of the last call that was let through. */
  lastRunMs: number;
}

export function createGuardSession(): GuardSession {
  return { budget: new Budget(), loops: undefined, lastRunMs: Number.NEGATIVE_INFINITY };
}

/**
 * Decides about a call, and counts it if it may run.
 *
 * @param session what was learned of it so far; calls that are still running are not known.
 * @param atMs milliseconds of a clock that never goes back.
 */
export function decide(
  session: GuardSession,
  request: GuardRequest,
  { policy, atMs }: { readonly policy: GuardPolicy; readonly atMs: number },
): Decision {
  const { toolName, identity } = request;
  const refusal = refusalOf(session, request, { policy, atMs });
  if (refusal !== undefined) return { status: 'refuse', refusal };
  session.budget.spend(toolName, atMs);
  session.loops?.passed(identity);
  session.lastRunMs = atMs;
  const limit = policy.limitOf(toolName);
  const isLimited = Number.isFinite(limit);
  return {
    status: 'run',
    quotaRemaining: isLimited ? limit - session.budget.used(toolName, atMs) : undefined,
  };
}

function refusalOf(
  { budget, loops, lastRunMs }: GuardSession,
  { toolName, identity }: GuardRequest,
  { policy, atMs }: { readonly policy: GuardPolicy; readonly atMs: number },
): Refusal | undefined {
  const pauseLeftMs = lastRunMs + LOOP_PAUSE_MS - atMs;
  const loop = policy.loops && pauseLeftMs > 0 ? loops?.loopWith(identity) : undefined;
  if (loop !== undefined) return refuseLoop(loop, pauseLeftMs);
  const limit = policy.limitOf(toolName);
  if (budget.used(toolName, atMs) < limit) return undefined;
  return refuseRate(toolName, limit, budget.untilFreeMs(toolName, atMs));
}

/** Takes an answered call that was let through; calls of a session in the order they began. */
export function learn(session: GuardSession, call: GuardedCall, identity: number): void {
  session.loops ??= new LoopWatch();
  session.loops.learn(call, identity);
}
