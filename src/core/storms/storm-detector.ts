// Detects failures and loops that many sessions share. Calls are fed in order of arrival. The detector has no
// clock: its time is that of the newest call, and callers end storms with `expire`.

import type { LoopCall } from '../loops/loop-call.ts';
import type { StormRecord } from '../model/storm-record.ts';
import type { StormThresholds } from './detect-storm.ts';
import { detectFailureStorm, detectLoopStorm, MIN_STUCK_CALLS, type StormLimits } from './detect-storm.ts';
import { isSuccess, type ServerEnvironment, toFailureSignature } from './failure-signature.ts';
import type { OpenStorm } from './open-storm.ts';
import {
  addContribution,
  extendStorm,
  reopenStorm,
  type StormContribution,
  toStormRecord,
} from './open-storm.ts';
import { countAffectedSessions, updateIsWidespread } from './reach.ts';
import {
  createServerActivity,
  ensureFailureOccurrences,
  ensureLoopOccurrences,
  type FailureOccurrences,
  type LoopOccurrences,
  prune,
  recordCaller,
  recordFailure,
  recordSuccess,
  type ServerActivity,
  type SessionFailures,
} from './server-activity.ts';

/** A session's call, as it arrived. */
export interface StormCallInput extends ServerEnvironment {
  /** Unique id of the session. */
  readonly session: string;
  readonly call: LoopCall;
}

/** A loop of one session, at least suspected, that does not consist of a failure that is already a storm. */
export interface StormLoopInput extends ServerEnvironment {
  readonly session: string;
  readonly kind: string;
  readonly tools: readonly string[];
  readonly firstUs: number;
  readonly lastUs: number;
  readonly wastedCalls: number;
}

const MINUTE_US = 60_000_000;
const MAX_SERVERS = 200;
const CHECK_EVERY_US = 1_000_000;

export class StormDetector {
  readonly #limits: StormLimits;
  readonly #activities = new Map<string, ServerActivity>();

  constructor({ stormSessions, stormMinutes }: StormThresholds) {
    this.#limits = { sessions: stormSessions, windowUs: stormMinutes * MINUTE_US };
  }

  /** Takes the next call. @param nowUs the current time; later timestamps are not trusted */
  feed({ session, call, server, environment }: StormCallInput, nowUs: number): void {
    const scope = this.#activityOf({ server, environment });
    const endUs = Math.min(call.startedAtUs + call.durationUs, nowUs);
    if (endUs < scope.clockUs - this.#limits.windowUs) return;
    scope.clockUs = Math.max(scope.clockUs, endUs);
    const sinceUs = scope.clockUs - this.#limits.windowUs;
    if (scope.clockUs - scope.prunedAtUs > this.#limits.windowUs / 4) prune(scope, sinceUs);
    recordCaller(scope, session, call.toolName);
    if (isSuccess(call)) recordSuccess(scope, session, { tool: call.toolName, endUs });
    const failure = toFailureSignature(call, scope);
    if (!failure) return;
    const trace = ensureFailureOccurrences(scope, failure);
    const startedUs = Math.min(call.startedAtUs, endUs);
    const met = recordFailure(trace, session, { tool: call.toolName, startedUs, endUs, sinceUs });
    this.#updateFailureStorm(scope, trace, { session, tool: call.toolName, sessionFailures: met, endUs });
  }

  /** Takes a loop that began or continued. */
  feedLoop({ session, kind, tools, firstUs, lastUs, wastedCalls, ...where }: StormLoopInput): void {
    const scope = this.#activityOf(where);
    scope.clockUs = Math.max(scope.clockUs, lastUs);
    if (lastUs < scope.clockUs - this.#limits.windowUs) return;
    const trace = ensureLoopOccurrences(scope, kind, tools);
    const before = trace.sessions.get(session)?.wasted ?? 0;
    trace.sessions.set(session, { firstUs, lastUs, wasted: wastedCalls });
    const storm = this.#currentStorm(trace, lastUs);
    if (storm) {
      addContribution(storm, { session, tools, calls: Math.max(0, wastedCalls - before) });
      extendStorm(storm, lastUs);
    } else detectLoopStorm(scope, trace, this.#limits);
  }

  /**
   * Restores a storm found earlier. After feeding the calls of the last minutes, `restoreCounts` restores its
   * counts.
   */
  restore(record: StormRecord): void {
    const scope = this.#activityOf(record);
    const storm = reopenStorm(record);
    const { code, template, isOutage } = storm;
    const key = JSON.stringify([record.server, record.environment, code, template]);
    const trace =
      record.kind === 'loop'
        ? ensureLoopOccurrences(scope, code, record.tools)
        : ensureFailureOccurrences(scope, { key, code, template, isOutage });
    trace.storm = storm;
  }

  /** Replaces the counts of a restored storm with its actual totals. */
  restoreCounts(id: string, parts: readonly Omit<StormContribution, 'tools'>[]): void {
    const storm = this.#storms().find((each) => each.id === id);
    if (!storm || parts.length === 0) return;
    storm.sessions.clear();
    storm.calls = 0;
    for (const part of parts) addContribution(storm, { ...part, tools: [] });
  }

  /** Ends storms without a call within the window. @param nowUs the current time */
  expire(nowUs: number): void {
    for (const storm of this.#storms())
      if (nowUs - storm.lastUs >= this.#limits.windowUs) storm.state = 'over';
  }

  /** All open storms, and those that ended recently. */
  get storms(): readonly StormRecord[] {
    return this.#storms().map(toStormRecord);
  }

  /** Whether the storm with that id is open. */
  isOpen(id: string): boolean {
    return this.#storms().some((storm) => storm.id === id && storm.state === 'active');
  }

  /** Id of the storm of a failure, or ''. @param key of the failure */
  stormOfFailure(key: string, where: ServerEnvironment): string {
    const storm = this.#findActivity(where)?.failures.get(key)?.storm;
    return storm?.state === 'active' ? storm.id : '';
  }

  /** Id of the storm that a loop belongs to, or ''. */
  stormOfLoop({ kind, tools, ...where }: Pick<StormLoopInput, 'kind' | 'tools'> & ServerEnvironment): string {
    const storm = this.#findActivity(where)?.loops.get(JSON.stringify([kind, ...tools]))?.storm;
    return storm?.state === 'active' ? storm.id : '';
  }

  /** Whether other sessions met that failure within the window without getting past it. */
  affectsOtherSessions(
    key: string,
    { session, ...where }: ServerEnvironment & { readonly session: string },
  ): boolean {
    const met = this.#findActivity(where)?.failures.get(key)?.sessions;
    return met !== undefined && met.size > (met.has(session) ? 1 : 0);
  }

  #updateFailureStorm(
    scope: ServerActivity,
    trace: FailureOccurrences,
    { session, tool, sessionFailures, endUs }: FailedCall,
  ): void {
    const storm = this.#currentStorm(trace, endUs);
    if (!storm) {
      if (sessionFailures.calls >= MIN_STUCK_CALLS) detectFailureStorm(scope, trace, this.#limits);
      return;
    }
    addContribution(storm, { session, tools: [tool], calls: 1 });
    if (scope.clockUs - trace.checkedAtUs < CHECK_EVERY_US) {
      if (trace.isWidespread) extendStorm(storm, endUs);
      return;
    }
    const reach = countAffectedSessions(scope, trace, scope.clockUs - this.#limits.windowUs);
    updateIsWidespread(trace, reach, scope.clockUs);
    if (trace.isWidespread) extendStorm(storm, endUs);
  }

  /** A storm that ended reopens if calls of its time arrive late, as after an outage of our own. */
  #currentStorm(trace: FailureOccurrences | LoopOccurrences, atUs: number): OpenStorm | undefined {
    const { storm } = trace;
    if (storm === undefined || atUs - storm.lastUs < this.#limits.windowUs) return storm;
    trace.storm = undefined;
    return undefined;
  }

  #storms(): OpenStorm[] {
    return [...this.#activities.values()].flatMap(({ failures, loops }) =>
      [...failures.values(), ...loops.values()].flatMap(({ storm }) => storm ?? []),
    );
  }

  #findActivity({ server, environment }: ServerEnvironment): ServerActivity | undefined {
    return this.#activities.get(JSON.stringify([server, environment]));
  }

  #activityOf(where: ServerEnvironment): ServerActivity {
    const key = JSON.stringify([where.server, where.environment]);
    const scope = this.#activities.get(key) ?? createServerActivity(where);
    this.#activities.delete(key);
    this.#activities.set(key, scope);
    const [oldest] = this.#activities.keys();
    if (this.#activities.size > MAX_SERVERS && oldest !== undefined) this.#activities.delete(oldest);
    return scope;
  }
}

interface FailedCall {
  readonly session: string;
  readonly tool: string;
  readonly sessionFailures: SessionFailures;
  readonly endUs: number;
}
