// When what several sessions meet is a storm.
//
// A failure is a storm when so many sessions are stuck in it within the minutes: each met it twice or more without a success
// of that tool between (an error that every agent makes once and then corrects is no storm, however many make it), and at
// least half of the sessions that called the failing tools since then have met it and not got past it (a few agents
// that cannot use a tool which works for all others are no storm either). Sessions that use other tools do not count
// against it: a broken tool is one even on a server that does much else. "Since then" begins with the first failure of the
// last so many sessions that got stuck, so that the thousand sound calls of a minute before do not hide an outage.

import { addContribution, extendStorm, openStorm } from './open-storm.ts';
import { countAffectedSessions, isWidespread, updateIsWidespread } from './reach.ts';
import type { FailureOccurrences, LoopOccurrences, ServerActivity } from './server-activity.ts';

export interface StormLimits {
  /** How many must meet it. */
  readonly sessions: number;
  /** Within so long. */
  readonly windowUs: number;
}

/** Stuck is a session that tried again and failed again. */
export const MIN_STUCK_CALLS = 2;

/** Opens the storm of a failure, if it is one now. */
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

/** Opens the storm of a loop, if so many sessions go round in it now. */
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
