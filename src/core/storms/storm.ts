// Watches the calls and loops of all sessions for what many of them meet at once. Fed in the order in which calls arrive; it
// has no clock of its own, so time is that of the newest call, and the end of a storm is asked for.

import type { LoopCall } from '../loops/loop-call.ts';
import type { StormRecord } from '../model/storm-record.ts';
import { failureOf, isSuccess, type Where } from './failure.ts';
import { join, type OpenStorm, prolong, reopenStorm, type Share, toStormRecord } from './open-storm.ts';
import { noteReach, reachOf } from './reach.ts';
import { type Limits, recogniseFailure, recogniseLoop, STUCK_CALLS } from './recognise.ts';
import type { StormThresholds } from './thresholds.ts';
import {
  createScope,
  type FailureTrace,
  failureTrace,
  type LoopTrace,
  loopTrace,
  type Met,
  noteCaller,
  noteFailure,
  noteSuccess,
  prune,
  type Scope,
} from './traces.ts';

/** A session's call, as it arrived. */
export interface ArrivedCall extends Where {
  /** Names the session among all. */
  readonly session: string;
  readonly call: LoopCall;
}

/** A loop of one session, suspected or worse, that is not made of a failure which is a storm already. */
export interface ArrivedLoop extends Where {
  readonly session: string;
  readonly kind: string;
  readonly tools: readonly string[];
  readonly firstUs: number;
  readonly lastUs: number;
  readonly wastedCalls: number;
}

const MINUTE_US = 60_000_000;
const SCOPES_KEPT = 200;
const CHECK_EVERY_US = 1_000_000;

export class StormWatch {
  readonly #limits: Limits;
  readonly #scopes = new Map<string, Scope>();

  constructor({ stormSessions, stormMinutes }: StormThresholds) {
    this.#limits = { sessions: stormSessions, windowUs: stormMinutes * MINUTE_US };
  }

  /** Takes the next call. @param nowUs the present; a clock that runs ahead of it is not believed */
  feed({ session, call, server, environment }: ArrivedCall, nowUs: number): void {
    const scope = this.#scopeOf({ server, environment });
    const endUs = Math.min(call.startedAtUs + call.durationUs, nowUs);
    if (endUs < scope.clockUs - this.#limits.windowUs) return;
    scope.clockUs = Math.max(scope.clockUs, endUs);
    const sinceUs = scope.clockUs - this.#limits.windowUs;
    if (scope.clockUs - scope.prunedUs > this.#limits.windowUs / 4) prune(scope, sinceUs);
    noteCaller(scope, session, call.toolName);
    if (isSuccess(call)) noteSuccess(scope, session, { tool: call.toolName, endUs });
    const failure = failureOf(call, scope);
    if (!failure) return;
    const trace = failureTrace(scope, failure);
    const startedUs = Math.min(call.startedAtUs, endUs);
    const met = noteFailure(trace, session, { tool: call.toolName, startedUs, endUs, sinceUs });
    this.#judge(scope, trace, { session, tool: call.toolName, met, endUs });
  }

  /** Takes a loop that began or went on. */
  feedLoop({ session, kind, tools, firstUs, lastUs, wastedCalls, ...where }: ArrivedLoop): void {
    const scope = this.#scopeOf(where);
    scope.clockUs = Math.max(scope.clockUs, lastUs);
    if (lastUs < scope.clockUs - this.#limits.windowUs) return;
    const trace = loopTrace(scope, kind, tools);
    const before = trace.sessions.get(session)?.wasted ?? 0;
    trace.sessions.set(session, { firstUs, lastUs, wasted: wastedCalls });
    const storm = this.#current(trace, lastUs);
    if (storm) {
      join(storm, { session, tools, calls: Math.max(0, wastedCalls - before) });
      prolong(storm, lastUs);
    } else recogniseLoop(scope, trace, this.#limits);
  }

  /** Puts back a storm that was found earlier. What it had is told by `recount`, after the calls of the last minutes were fed. */
  restore(record: StormRecord): void {
    const scope = this.#scopeOf(record);
    const storm = reopenStorm(record);
    const { code, template, isOutage } = storm;
    const key = JSON.stringify([record.server, record.environment, code, template]);
    const trace =
      record.kind === 'loop'
        ? loopTrace(scope, code, record.tools)
        : failureTrace(scope, { key, code, template, isOutage });
    trace.storm = storm;
  }

  /** Says what a storm that was put back has had so far, in place of what was counted since. */
  recount(id: string, parts: readonly Omit<Share, 'tools'>[]): void {
    const storm = this.#storms().find((each) => each.id === id);
    if (!storm || parts.length === 0) return;
    storm.sessions.clear();
    storm.calls = 0;
    for (const part of parts) join(storm, { ...part, tools: [] });
  }

  /** Ends what has had no call for the minutes of a storm. @param nowUs the present */
  expire(nowUs: number): void {
    for (const storm of this.#storms())
      if (nowUs - storm.lastUs >= this.#limits.windowUs) storm.state = 'over';
  }

  /** All that go on, and those that ended lately. */
  get storms(): readonly StormRecord[] {
    return this.#storms().map(toStormRecord);
  }

  /** Whether the storm of that id goes on. */
  isOpen(id: string): boolean {
    return this.#storms().some((storm) => storm.id === id && storm.state === 'active');
  }

  /** The storm that a failure is, or ''. @param key of the failure */
  stormOfFailure(key: string, where: Where): string {
    const storm = this.#find(where)?.failures.get(key)?.storm;
    return storm?.state === 'active' ? storm.id : '';
  }

  /** The storm that a loop is a part of, or ''. */
  stormOfLoop({ kind, tools, ...where }: Pick<ArrivedLoop, 'kind' | 'tools'> & Where): string {
    const storm = this.#find(where)?.loops.get(JSON.stringify([kind, ...tools]))?.storm;
    return storm?.state === 'active' ? storm.id : '';
  }

  /** Whether other sessions have met that failure within the minutes and not got past it. */
  isMetByOthers(key: string, { session, ...where }: Where & { readonly session: string }): boolean {
    const met = this.#find(where)?.failures.get(key)?.met;
    return met !== undefined && met.size > (met.has(session) ? 1 : 0);
  }

  #judge(scope: Scope, trace: FailureTrace, { session, tool, met, endUs }: Hit): void {
    const storm = this.#current(trace, endUs);
    if (!storm) {
      if (met.calls >= STUCK_CALLS) recogniseFailure(scope, trace, this.#limits);
      return;
    }
    join(storm, { session, tools: [tool], calls: 1 });
    if (scope.clockUs - trace.checkedUs < CHECK_EVERY_US) {
      if (trace.isWide) prolong(storm, endUs);
      return;
    }
    const reach = reachOf(scope, trace, scope.clockUs - this.#limits.windowUs);
    noteReach(trace, reach, scope.clockUs);
    if (trace.isWide) prolong(storm, endUs);
  }

  /** One that ended goes on if calls of its time come late, as after an outage of our own. */
  #current(trace: FailureTrace | LoopTrace, atUs: number): OpenStorm | undefined {
    const { storm } = trace;
    if (storm === undefined || atUs - storm.lastUs < this.#limits.windowUs) return storm;
    trace.storm = undefined;
    return undefined;
  }

  #storms(): OpenStorm[] {
    return [...this.#scopes.values()].flatMap(({ failures, loops }) =>
      [...failures.values(), ...loops.values()].flatMap(({ storm }) => storm ?? []),
    );
  }

  #find({ server, environment }: Where): Scope | undefined {
    return this.#scopes.get(JSON.stringify([server, environment]));
  }

  #scopeOf(where: Where): Scope {
    const key = JSON.stringify([where.server, where.environment]);
    const scope = this.#scopes.get(key) ?? createScope(where);
    this.#scopes.delete(key);
    this.#scopes.set(key, scope);
    const [oldest] = this.#scopes.keys();
    if (this.#scopes.size > SCOPES_KEPT && oldest !== undefined) this.#scopes.delete(oldest);
    return scope;
  }
}

interface Hit {
  readonly session: string;
  readonly tool: string;
  readonly met: Met;
  readonly endUs: number;
}
