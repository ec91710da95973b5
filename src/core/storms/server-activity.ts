// Recent activity of one server in one environment: which sessions called which tools when, and how they
// failed. It is bounded, and entries older than the window are removed.

import { BoundedMap } from '../values/bounded-map.ts';
import type { FailureSignature, ServerEnvironment } from './failure-signature.ts';
import type { OpenStorm } from './open-storm.ts';

/** A session's failures since its last success with the tools that failed. */
export interface SessionFailures {
  calls: number;
  readonly tools: Set<string>;
  readonly firstUs: number;
  lastUs: number;
}

export interface FailureOccurrences {
  readonly failure: FailureSignature;
  readonly sessions: Map<string, SessionFailures>;
  storm: OpenStorm | undefined;
  /** Time of the last check whether the storm continues. */
  checkedAtUs: number;
  /** Result of that check. */
  isWidespread: boolean;
}

/** Sessions in the same loop. */
export interface LoopOccurrences {
  readonly kind: string;
  readonly tools: readonly string[];
  readonly sessions: Map<string, { readonly firstUs: number; lastUs: number; wasted: number }>;
  storm: OpenStorm | undefined;
}

export interface ServerActivity extends ServerEnvironment {
  /** The latest end of a call. */
  clockUs: number;
  prunedAtUs: number;
  /** By session, the tools it called and when it last did. */
  readonly callers: Map<string, Map<string, number>>;
  readonly failures: Map<string, FailureOccurrences>;
  readonly loops: Map<string, LoopOccurrences>;
}

const MAX_SESSIONS = 5_000;
const MAX_OCCURRENCES = 64;
const MAX_TOOLS = 16;

export function createServerActivity({ server, environment }: ServerEnvironment): ServerActivity {
  return {
    ...{ server, environment, clockUs: 0, prunedAtUs: 0 },
    callers: new BoundedMap(MAX_SESSIONS),
    failures: new Map(),
    loops: new Map(),
  };
}

export function recordCaller(scope: ServerActivity, session: string, tool: string): void {
  const tools = scope.callers.get(session) ?? new BoundedMap<string, number>(MAX_TOOLS);
  tools.set(tool, scope.clockUs);
  scope.callers.set(session, tools);
}

/** The trace of a failure, which is the newest from now on. */
export function ensureFailureOccurrences(
  { failures }: ServerActivity,
  failure: FailureSignature,
): FailureOccurrences {
  const trace = failures.get(failure.key) ?? {
    failure,
    sessions: new BoundedMap(MAX_SESSIONS),
    storm: undefined,
    checkedAtUs: 0,
    isWidespread: false,
  };
  failures.delete(failure.key);
  failures.set(failure.key, trace);
  if (failures.size > MAX_OCCURRENCES) dropOldestInactive(failures);
  return trace;
}

export function ensureLoopOccurrences(
  { loops }: ServerActivity,
  kind: string,
  tools: readonly string[],
): LoopOccurrences {
  const key = JSON.stringify([kind, ...tools]);
  const trace = loops.get(key) ?? { kind, tools, sessions: new Map(), storm: undefined };
  loops.delete(key);
  loops.set(key, trace);
  if (loops.size > MAX_OCCURRENCES) dropOldestInactive(loops);
  return trace;
}

export function recordFailure(
  { sessions }: FailureOccurrences,
  session: string,
  { tool, startedUs, endUs, sinceUs }: { tool: string; startedUs: number; endUs: number; sinceUs: number },
): SessionFailures {
  const known = sessions.get(session);
  const own: SessionFailures =
    known !== undefined && known.lastUs >= sinceUs
      ? known
      : { calls: 0, tools: new Set(), firstUs: startedUs, lastUs: endUs };
  own.calls += 1;
  if (own.tools.size < MAX_TOOLS) own.tools.add(tool);
  own.lastUs = Math.max(own.lastUs, endUs);
  sessions.set(session, own);
  return own;
}

/** After a success with a tool that failed, the session counts as past the failure. */
export function recordSuccess(
  { failures }: ServerActivity,
  session: string,
  { tool, endUs }: { tool: string; endUs: number },
): void {
  for (const { sessions } of failures.values()) {
    const own = sessions.get(session);
    if (own?.tools.has(tool) && endUs >= own.lastUs) sessions.delete(session);
  }
}

/** Removes entries older than `sinceUs`. Runs a few times per window. */
export function prune(scope: ServerActivity, sinceUs: number): void {
  scope.prunedAtUs = scope.clockUs;
  for (const tools of scope.callers.values()) dropOlder(tools, (lastUs) => lastUs < sinceUs);
  dropOlder(scope.callers, ({ size }) => size === 0);
  for (const { sessions } of scope.failures.values()) dropOlder(sessions, ({ lastUs }) => lastUs < sinceUs);
  dropOlder(scope.failures, ({ sessions, storm }) => sessions.size === 0 && storm === undefined);
  for (const { sessions } of scope.loops.values()) dropOlder(sessions, ({ lastUs }) => lastUs < sinceUs);
  dropOlder(scope.loops, ({ sessions, storm }) => sessions.size === 0 && storm === undefined);
}

function dropOlder<K, V>(map: Map<K, V>, isOld: (value: V) => boolean): void {
  for (const [key, value] of map) if (isOld(value)) map.delete(key);
}

/** Open storms stay, however old their last call is. */
function dropOldestInactive(traces: Map<string, { readonly storm: OpenStorm | undefined }>): void {
  for (const [key, { storm }] of traces) {
    if (storm?.state === 'active') continue;
    traces.delete(key);
    return;
  }
}
