// Counts how often the tools of one session ran within the last hour. It counts per minute, so memory does not depend on
// the limit. A call expires an hour after the end of its minute, so no hour ever exceeds the limit.

import { BoundedMap } from '../values/bounded-map.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Maximum counted tools per session, because clients choose names. */
const MAX_TOOLS = 128;

interface MinuteCount {
  readonly minute: number;
  calls: number;
}

export class Budget {
  readonly #runs = new BoundedMap<string, MinuteCount[]>(MAX_TOOLS);

  /** Runs of a tool within the last hour. */
  used(toolName: string, atMs: number): number {
    return this.#recent(toolName, atMs).reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Counts a run. */
  spend(toolName: string, atMs: number): void {
    const recent = this.#recent(toolName, atMs);
    const minute = minuteOf(atMs);
    const newest = recent.at(-1);
    if (newest?.minute === minute) newest.calls += 1;
    else recent.push({ minute, calls: 1 });
    this.#runs.set(toolName, recent);
  }

  /** Milliseconds until the oldest counted run of a tool expires; one hour if there is none. */
  untilFreeMs(toolName: string, atMs: number): number {
    const [oldest] = this.#recent(toolName, atMs);
    if (oldest === undefined) return MINUTES * MINUTE_MS;
    return (oldest.minute + MINUTES + 1) * MINUTE_MS - atMs;
  }

  #recent(toolName: string, atMs: number): MinuteCount[] {
    const runs = this.#runs.get(toolName) ?? [];
    const first = minuteOf(atMs) - MINUTES;
    while (runs[0] !== undefined && runs[0].minute < first) runs.shift();
    return runs;
  }
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}
