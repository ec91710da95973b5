// When what several sessions meet is a storm.
//
// A failure is a storm when so many sessions are stuck in it within the minutes: each met it twice or more without a success
// of that tool between (an error that every agent makes once and then corrects is no storm, however many make it), and at
// least half of the sessions that called the failing tools since then have met it and not got past it (a few agents
// that cannot use a tool which works for all others are no storm either). Sessions that use other tools do not count
// against it: a broken tool is one even on a server that does much else. "Since then" begins with the first failure of the
// last so many sessions that got stuck, so that the thousand sound calls of a minute before do not hide an outage.

import { join, openStorm, prolong } from './open-storm.ts';
import { isWide, noteReach, reachOf } from './reach.ts';
import type { FailureTrace, LoopTrace, Scope } from './traces.ts';

export interface Limits {
  /** How many must meet it. */
  readonly sessions: number;
  /** Within so long. */
  readonly windowUs: number;
}

/** Stuck is a session that tried again and failed again. */
export const STUCK_CALLS = 2;

/** Opens the storm of a failure, if it is one now. */
export function recogniseFailure(scope: Scope, trace: FailureTrace, { sessions, windowUs }: Limits): void {
  const stuck = [...trace.met.values()].filter(
    ({ calls, lastUs }) => calls >= STUCK_CALLS && lastUs >= scope.clockUs - windowUs,
  );
  if (stuck.length < sessions) return;
  const begins = stuck.map(({ firstUs }) => firstUs).sort((a, b) => b - a);
  const reach = reachOf(scope, trace, begins[sessions - 1] ?? 0);
  if (!isWide(reach)) return;
  const members = [...trace.met].filter(([, { lastUs }]) => lastUs >= reach.sinceUs);
  const { server, environment } = scope;
  const { code, template, isOutage } = trace.failure;
  const subject = { server, environment, kind: 'failure', code, template, isOutage } as const;
  trace.storm = openStorm(subject, Math.min(...members.map(([, { firstUs }]) => firstUs)));
  for (const [session, { tools, calls }] of members) join(trace.storm, { session, tools, calls });
  noteReach(trace, reach, scope.clockUs);
  prolong(trace.storm, scope.clockUs);
}

/** Opens the storm of a loop, if so many sessions go round in it now. */
export function recogniseLoop(scope: Scope, trace: LoopTrace, { sessions, windowUs }: Limits): void {
  const members = [...trace.sessions].filter(([, { lastUs }]) => lastUs >= scope.clockUs - windowUs);
  if (members.length < sessions) return;
  const { server, environment } = scope;
  const subject = { kind: 'loop', code: trace.kind, template: '', isOutage: false } as const;
  const firstUs = Math.min(...members.map(([, own]) => own.firstUs));
  trace.storm = openStorm({ server, environment, ...subject }, firstUs);
  for (const [session, { wasted }] of members)
    join(trace.storm, { session, tools: trace.tools, calls: wasted });
  prolong(trace.storm, scope.clockUs);
}
