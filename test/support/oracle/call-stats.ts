// The same figures by plain counting over the rows in memory: what the store's answers are compared with. It shares
// nothing with the code under test but the names of outcomes.
import type { SeededCall } from '../dataset/seeded-calls.ts';

type OracleFilterName = 'server' | 'environment' | 'client' | 'tool' | 'version' | 'plan';
export type OracleFilters = { readonly [Name in OracleFilterName]?: string };
/** The same with several values. */
export type OracleChoices = { readonly [Name in OracleFilterName]?: OracleFilter };

/** One value, or several values and those to exclude. */
type OracleFilter = string | { readonly only: readonly string[]; readonly except: readonly string[] };

export interface OracleRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const UNTIMED = ['cancelled', 'abandoned', 'blocked', 'task'];

export function matches(call: SeededCall, filters: OracleChoices): boolean {
  const pairs: [OracleFilter | undefined, string][] = [
    [filters.server, call.server_name],
    [filters.environment, call.environment],
    [filters.client, call.client_name],
    [filters.tool, call.tool_name],
    [filters.version, call.server_version],
    [filters.plan, call.plan_id],
  ];
  return pairs.every(([wanted, value]) => isWanted(wanted, value));
}

/** Whether a value passes a filter. */
export function isWanted(wanted: OracleFilter | undefined, value: string): boolean {
  if (wanted === undefined || typeof wanted === 'string') return wanted === undefined || wanted === value;
  return (wanted.only.length === 0 || wanted.only.includes(value)) && !wanted.except.includes(value);
}

export const isWithin = (call: SeededCall, { fromMs, toMs }: OracleRange): boolean =>
  call.startedUs >= fromMs * 1_000 && call.startedUs < toMs * 1_000;

/** Tool calls answered for good by a server, in the range. */
export function toolCalls(
  calls: readonly SeededCall[],
  span: OracleRange,
  filters: OracleChoices = {},
): SeededCall[] {
  return calls.filter(
    (call) =>
      isWithin(call, span) &&
      matches(call, filters) &&
      call.side === 'server' &&
      call.method === 'tools/call' &&
      call.outcome !== 'input_required',
  );
}

export const failedCalls = (calls: readonly SeededCall[]): SeededCall[] =>
  calls.filter(({ fault }) => fault === 'client' || fault === 'server');

export const timedCalls = (calls: readonly SeededCall[]): SeededCall[] =>
  calls.filter(({ outcome }) => !UNTIMED.includes(outcome));

/** Nearest rank of the sorted latencies, in milliseconds. */
export function nearestRank(calls: readonly SeededCall[], level: number): number | null {
  const sorted = timedCalls(calls)
    .map(({ duration_us }) => duration_us)
    .sort((a, b) => a - b);
  const us = sorted[Math.max(0, Math.ceil(level * sorted.length) - 1)];
  return us === undefined ? null : us / 1_000;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

export const sessionKey = (call: SeededCall): string =>
  `${call.server_name}|${call.session_source}|${call.session_id}`;

export interface OracleSession {
  readonly key: string;
  readonly calls: number;
  readonly requests: number;
  readonly errors: number;
  readonly tools: string[];
  readonly startedUs: number;
  readonly endedUs: number;
}

/** Sessions with a request in the range that passes the filters; what is counted is the whole session. */
export function listSessions(
  calls: readonly SeededCall[],
  span: OracleRange,
  filters: OracleChoices = {},
): OracleSession[] {
  const requests = calls.filter(({ side, session_id }) => side === 'server' && session_id !== '');
  const keysInRange = new Set(
    requests.filter((call) => isWithin(call, span) && matches(call, filters)).map(sessionKey),
  );
  return [...groupBy(requests, sessionKey)]
    .filter(([key]) => keysInRange.has(key))
    .map(([key, all]) => {
      const counted = all.filter((c) => c.method === 'tools/call' && c.outcome !== 'input_required');
      return {
        key,
        calls: counted.length,
        requests: all.length,
        errors: failedCalls(counted).length,
        tools: [...new Set(all.map(({ tool_name }) => tool_name).filter((name) => name !== ''))].sort(),
        startedUs: Math.min(...all.map(({ startedUs }) => startedUs)),
        endedUs: Math.max(...all.map(({ startedUs, duration_us }) => startedUs + duration_us)),
      };
    });
}
