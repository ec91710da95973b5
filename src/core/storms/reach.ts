// How many of those who call the failing tools meet the failure.

import type { FailureTrace, Scope } from './traces.ts';

/** Who called the failing tools since then, and how many of them have met the failure and not got past it. */
export interface Reach {
  readonly sinceUs: number;
  readonly hit: number;
  readonly callers: number;
}

export function reachOf({ callers }: Scope, { met }: FailureTrace, sinceUs: number): Reach {
  const hit = [...met.values()].filter(({ lastUs }) => lastUs >= sinceUs);
  const tools = new Set(hit.flatMap((each) => [...each.tools]));
  let called = 0;
  for (const [session, own] of callers) {
    if ((met.get(session)?.lastUs ?? 0) >= sinceUs || isAmong(own, tools, sinceUs)) called += 1;
  }
  return { sinceUs, hit: hit.length, callers: Math.max(called, hit.length) };
}

function isAmong(own: ReadonlyMap<string, number>, tools: ReadonlySet<string>, sinceUs: number): boolean {
  for (const [tool, lastUs] of own) if (lastUs >= sinceUs && tools.has(tool)) return true;
  return false;
}

/** At least half of those who call. */
export function isWide({ hit, callers }: Reach): boolean {
  return hit * 2 >= callers;
}

/** A storm goes on only while this is so: single failures after its end do not prolong it. */
export function noteReach(trace: FailureTrace, reach: Reach, atUs: number): void {
  trace.checkedUs = atUs;
  trace.isWide = isWide(reach);
  if (trace.isWide && trace.storm && reach.hit < reach.callers) trace.storm.isEverybody = false;
}
