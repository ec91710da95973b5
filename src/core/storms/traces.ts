// What is remembered of one server in one environment while the minutes of a storm last: which sessions called which tools
// when, and which of them failed how. Everything is bounded, and what is older than the window leaves.

import type { Failure, Where } from './failure.ts';
import type { OpenStorm } from './open-storm.ts';

/** How a session stands to a failure since its last success with the tools that failed. */
export interface Met {
  calls: number;
  readonly tools: Set<string>;
  readonly firstUs: number;
  lastUs: number;
}

export interface FailureTrace {
  readonly failure: Failure;
  readonly met: Map<string, Met>;
  storm: OpenStorm | undefined;
  /** When it was last looked at whether the storm still is one. */
  checkedUs: number;
  /** What that look said. */
  isWide: boolean;
}

/** Sessions that go round in the same loop. */
export interface LoopTrace {
  readonly kind: string;
  readonly tools: readonly string[];
  readonly sessions: Map<string, { readonly firstUs: number; lastUs: number; wasted: number }>;
  storm: OpenStorm | undefined;
}

export interface Scope extends Where {
  /** The latest end of a call. */
  clockUs: number;
  prunedUs: number;
  /** By session, the tools it called and when it last did. */
  readonly callers: Map<string, Map<string, number>>;
  readonly failures: Map<string, FailureTrace>;
  readonly loops: Map<string, LoopTrace>;
}

const SESSIONS_KEPT = 5_000;
const TRACES_KEPT = 64;
const TOOLS_KEPT = 16;

export function createScope({ server, environment }: Where): Scope {
  return {
    ...{ server, environment, clockUs: 0, prunedUs: 0 },
    callers: new Map(),
    failures: new Map(),
    loops: new Map(),
  };
}

export function noteCaller(scope: Scope, session: string, tool: string): void {
  const tools = scope.callers.get(session) ?? new Map<string, number>();
  tools.delete(tool);
  tools.set(tool, scope.clockUs);
  if (tools.size > TOOLS_KEPT) dropOldest(tools);
  scope.callers.delete(session);
  scope.callers.set(session, tools);
  if (scope.callers.size > SESSIONS_KEPT) dropOldest(scope.callers);
}

/** The trace of a failure, which is the newest from now on. */
export function failureTrace({ failures }: Scope, failure: Failure): FailureTrace {
  const trace = failures.get(failure.key) ?? {
    failure,
    met: new Map(),
    storm: undefined,
    checkedUs: 0,
    isWide: false,
  };
  failures.delete(failure.key);
  failures.set(failure.key, trace);
  if (failures.size > TRACES_KEPT) dropOldestQuiet(failures);
  return trace;
}

export function loopTrace({ loops }: Scope, kind: string, tools: readonly string[]): LoopTrace {
  const key = JSON.stringify([kind, ...tools]);
  const trace = loops.get(key) ?? { kind, tools, sessions: new Map(), storm: undefined };
  loops.delete(key);
  loops.set(key, trace);
  if (loops.size > TRACES_KEPT) dropOldestQuiet(loops);
  return trace;
}

export function noteFailure(
  { met }: FailureTrace,
  session: string,
  { tool, startedUs, endUs, sinceUs }: { tool: string; startedUs: number; endUs: number; sinceUs: number },
): Met {
  const known = met.get(session);
  const own: Met =
    known !== undefined && known.lastUs >= sinceUs
      ? known
      : { calls: 0, tools: new Set(), firstUs: startedUs, lastUs: endUs };
  own.calls += 1;
  if (own.tools.size < TOOLS_KEPT) own.tools.add(tool);
  own.lastUs = Math.max(own.lastUs, endUs);
  met.delete(session);
  met.set(session, own);
  if (met.size > SESSIONS_KEPT) dropOldest(met);
  return own;
}

/** A success with a tool that failed: whatever the session did differently, it is past it. */
export function noteSuccess(
  { failures }: Scope,
  session: string,
  { tool, endUs }: { tool: string; endUs: number },
): void {
  for (const { met } of failures.values()) {
    const own = met.get(session);
    if (own?.tools.has(tool) && endUs >= own.lastUs) met.delete(session);
  }
}

/** Forgets what is older than that. Runs a few times a window. */
export function prune(scope: Scope, sinceUs: number): void {
  scope.prunedUs = scope.clockUs;
  for (const tools of scope.callers.values()) dropOlder(tools, (lastUs) => lastUs < sinceUs);
  dropOlder(scope.callers, ({ size }) => size === 0);
  for (const { met } of scope.failures.values()) dropOlder(met, ({ lastUs }) => lastUs < sinceUs);
  dropOlder(scope.failures, ({ met, storm }) => met.size === 0 && storm === undefined);
  for (const { sessions } of scope.loops.values()) dropOlder(sessions, ({ lastUs }) => lastUs < sinceUs);
  dropOlder(scope.loops, ({ sessions, storm }) => sessions.size === 0 && storm === undefined);
}

function dropOlder<K, V>(map: Map<K, V>, isOld: (value: V) => boolean): void {
  for (const [key, value] of map) if (isOld(value)) map.delete(key);
}

function dropOldest<K>(map: Map<K, unknown>): void {
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

/** A storm that goes on stays, however long ago it was fed. */
function dropOldestQuiet(traces: Map<string, { readonly storm: OpenStorm | undefined }>): void {
  for (const [key, { storm }] of traces) {
    if (storm?.state === 'active') continue;
    traces.delete(key);
    return;
  }
}
