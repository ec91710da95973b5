// Decides when failures or loops of several sessions form a storm.
//
// A failure is a storm if `stormSessions` sessions are stuck in it within the window and at least half of the
// sessions that called the failing tools since then have met it without getting past it. Stuck means: the
// session met it at least twice without a success of that tool in between. An error that every agent makes
// once and then corrects is therefore no storm, and neither are a few agents that cannot use a tool that
// works for all others. Sessions that use other tools do not count, so a broken tool is a storm even on a
// busy server. "Since then" begins with the first failure of the last `stormSessions` sessions that got
// stuck, so that a thousand successful calls of the minute before do not hide an outage.

import { addContribution, extendStorm, openStorm } from './open-storm.ts';
import { countAffectedSessions, isWidespread, updateIsWidespread } from './reach.ts';
import type { FailureOccurrences, LoopOccurrences, ServerActivity } from './server-activity.ts';

export interface StormThresholds {
  /** Minimum number of sessions with the same failure or in the same loop. */
  readonly stormSessions: number;
  /** Window in minutes; a storm without a call of its kind for this long is over. */
  readonly stormMinutes: number;
}

export const DEFAULT_STORM_THRESHOLDS: StormThresholds = { stormSessions: 5, stormMinutes: 5 };

/** Minimum and maximum of each threshold. */
export const STORM_BOUNDS: Readonly<Record<keyof StormThresholds, readonly [least: number, most: number]>> = {
  stormSessions: [2, 1000],
  stormMinutes: [1, 60],
};

export interface StormLimits {
  /** Minimum number of affected sessions. */
  readonly sessions: number;
  /** Length of the window. */
  readonly windowUs: number;
}

/** A session is stuck once it has retried and failed again. */
export const MIN_STUCK_CALLS = 2;

/** Opens the storm of a failure if the conditions are met. */
export function detectFailureStorm(
  scope: ServerActivity,
  trace: FailureOccurrences,
  { sessions, windowUs }: StormLimits,
): void {
  const stuck = [...trace.sessions.values()].filter(
    ({ calls, lastUs }) => calls >= MIN_STUCK_CALLS && lastUs >= scope.clockUs - windowUs,
  );
  if (stuck.length < sessions) return;
  const begins = stuck.map(({ firstUs }) => firstUs).sort((a, b) => b - a);
  const reach = countAffectedSessions(scope, trace, begins[sessions - 1] ?? 0);
  if (!isWidespread(reach)) return;
  const members = [...trace.sessions].filter(([, { lastUs }]) => lastUs >= reach.sinceUs);
  const { server, environment } = scope;
  const { code, template, isOutage } = trace.failure;
  const subject = { server, environment, kind: 'failure', code, template, isOutage } as const;
  trace.storm = openStorm(subject, Math.min(...members.map(([, { firstUs }]) => firstUs)));
  for (const [session, { tools, calls }] of members) addContribution(trace.storm, { session, tools, calls });
  updateIsWidespread(trace, reach, scope.clockUs);
  extendStorm(trace.storm, scope.clockUs);
}

/** Opens the storm of a loop if enough sessions are in it. */
export function detectLoopStorm(
  scope: ServerActivity,
  trace: LoopOccurrences,
  { sessions, windowUs }: StormLimits,
): void {
  const members = [...trace.sessions].filter(([, { lastUs }]) => lastUs >= scope.clockUs - windowUs);
  if (members.length < sessions) return;
  const { server, environment } = scope;
  const subject = { kind: 'loop', code: trace.kind, template: '', isOutage: false } as const;
  const firstUs = Math.min(...members.map(([, own]) => own.firstUs));
  trace.storm = openStorm({ server, environment, ...subject }, firstUs);
  for (const [session, { wasted }] of members)
    addContribution(trace.storm, { session, tools: trace.tools, calls: wasted });
  extendStorm(trace.storm, scope.clockUs);
}
