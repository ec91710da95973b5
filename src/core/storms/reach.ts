// The share of affected sessions among those that call the failing tools.

import type { FailureOccurrences, ServerActivity } from './server-activity.ts';

/**
 * Sessions that called the failing tools since then, and how many of them met the failure without getting
 * past it.
 */
export interface AffectedSessions {
  readonly sinceUs: number;
  readonly affected: number;
  readonly callers: number;
}

export function countAffectedSessions(
  { callers }: ServerActivity,
  { sessions }: FailureOccurrences,
  sinceUs: number,
): AffectedSessions {
  const hit = [...sessions.values()].filter(({ lastUs }) => lastUs >= sinceUs);
  const tools = new Set(hit.flatMap((each) => [...each.tools]));
  let called = 0;
  for (const [session, own] of callers) {
    if ((sessions.get(session)?.lastUs ?? 0) >= sinceUs || calledAnyOf(own, tools, sinceUs)) called += 1;
  }
  return { sinceUs, affected: hit.length, callers: Math.max(called, hit.length) };
}

function calledAnyOf(own: ReadonlyMap<string, number>, tools: ReadonlySet<string>, sinceUs: number): boolean {
  for (const [tool, lastUs] of own) if (lastUs >= sinceUs && tools.has(tool)) return true;
  return false;
}

/** True if at least half of the calling sessions are affected. */
export function isWidespread({ affected, callers }: AffectedSessions): boolean {
  return affected * 2 >= callers;
}

/** A storm continues only while this is true: single failures after its end do not prolong it. */
export function updateIsWidespread(trace: FailureOccurrences, reach: AffectedSessions, atUs: number): void {
  trace.checkedAtUs = atUs;
  trace.isWidespread = isWidespread(reach);
  if (trace.isWidespread && trace.storm && reach.affected < reach.callers) trace.storm.isEverybody = false;
}
