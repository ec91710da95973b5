// A recount of the rollups from the stored calls, in TypeScript: it shares no SQL with what reconciles. Percentiles and
// distinct sessions are read from the states, as a rebuild must fill those too.

import { z } from 'zod';
import type { Store } from '../../../src/service/store/store.ts';

const RollupCall = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  server_name: z.string(),
  server_version: z.string(),
  environment: z.string(),
  client_name: z.string(),
  method: z.string(),
  tool_name: z.string(),
  outcome: z.string(),
  fault: z.string(),
  catalogue_hash: z.string(),
  error_code: z.string(),
  side: z.string(),
  session_id: z.string(),
  session_source: z.string(),
  at: z.string(),
  ended: z.string(),
  duration_us: z.number(),
});
type RollupCall = z.infer<typeof RollupCall>;

/** Lines of text that say what a rollup holds, in order; two rollups are alike when their lines are. */
export interface RollupLines {
  readonly minutes: readonly string[];
  readonly hours: readonly string[];
  readonly days: readonly string[];
  readonly clientDays: readonly string[];
  readonly failed: readonly string[];
  readonly sessions: readonly string[];
}

export function readRollupCalls(store: Store): Promise<RollupCall[]> {
  return store.query({
    sql: `SELECT *, toString(started_at) AS at, toString(started_at + toIntervalMicrosecond(duration_us)) AS ended FROM calls`,
    row: RollupCall,
  });
}

/** What the rollups ought to hold. */
export function computeRollups(calls: readonly RollupCall[]): RollupLines {
  const answered = calls.filter((call) => call.side === 'server' && call.outcome !== 'input_required');
  const ofTools = answered.filter(({ method }) => method === 'tools/call');
  return {
    minutes: bucketLines(answered, (call) => [
      call.server_name,
      call.environment,
      call.server_version,
      call.client_name,
      call.method,
      call.tool_name,
      call.outcome,
      call.fault,
      call.error_code,
      `${call.at.slice(0, 16)}:00`,
    ]),
    hours: bucketLines(answered, (call) => [
      call.server_name,
      call.environment,
      call.method,
      call.tool_name,
      call.outcome,
      call.fault,
      call.error_code,
      `${call.at.slice(0, 13)}:00:00`,
    ]),
    days: bucketLines(ofTools, (call) => [
      call.server_name,
      call.tool_name,
      call.environment,
      call.catalogue_hash,
      call.at.slice(0, 10),
    ]),
    clientDays: bucketLines(ofTools, (call) => [
      call.server_name,
      call.tool_name,
      call.environment,
      call.client_name,
      call.server_version,
      call.at.slice(0, 10),
    ]),
    failed: ofTools
      .filter(({ fault }) => fault !== 'none')
      .map((call) => [call.span_id, call.server_name, call.tool_name, call.at, call.outcome].join('|'))
      .sort(),
    sessions: sessionLines(calls),
  };
}

function groupBy(
  calls: readonly RollupCall[],
  keyOf: (call: RollupCall) => readonly string[],
): Map<string, RollupCall[]> {
  const groups = new Map<string, RollupCall[]>();
  for (const call of calls) {
    const key = keyOf(call).join('|');
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return groups;
}

const UNTIMED = ['cancelled', 'abandoned', 'blocked', 'task'];

function bucketLines(calls: readonly RollupCall[], keyOf: (call: RollupCall) => readonly string[]): string[] {
  return [...groupBy(calls, keyOf)]
    .map(([key, group]) => {
      const errors = group.filter(({ fault }) => fault !== 'none').length;
      const last = group
        .map(({ at }) => at.slice(0, 19))
        .sort()
        .at(-1);
      const timed = group
        .filter(({ outcome }) => !UNTIMED.includes(outcome))
        .map(({ duration_us }) => duration_us);
      const sessions = new Set(
        group
          .filter((call) => call.session_id !== '')
          .map((call) => `${call.session_source}/${call.session_id}`),
      ).size;
      return `${key}|${group.length}|${errors}|${last}|${maxDuration(timed)}|${sessions}`;
    })
    .sort();
}

/** The state keeps sixteen bits of a float: eight of them are digits. */
function maxDuration(durations: readonly number[]): string {
  if (durations.length === 0) return 'none';
  const bits = new Float32Array([Math.max(...durations)]);
  const words = new Uint32Array(bits.buffer);
  words[0] = (words[0] ?? 0) & 0xffff0000;
  return String(bits[0]);
}

function sessionLines(calls: readonly RollupCall[]): string[] {
  const own = calls.filter((call) => call.side === 'server' && call.session_id !== '');
  return [
    ...groupBy(own, (call) => [call.at.slice(0, 10), call.server_name, call.session_source, call.session_id]),
  ]
    .map(([key, group]) => {
      const invoked = group.filter(
        (call) => call.method === 'tools/call' && call.outcome !== 'input_required',
      );
      const errors = invoked.filter(({ fault }) => fault !== 'none').length;
      const tools = [...new Set(group.map((call) => call.tool_name).filter((name) => name !== ''))].sort();
      const first = group.map(({ at }) => at).sort()[0];
      const last = group
        .map(({ ended }) => ended)
        .sort()
        .at(-1);
      return `${key}|${group.length}|${invoked.length}|${errors}|${first}|${last}|${tools.join(',')}`;
    })
    .sort();
}

const Line = z.object({ line: z.string() });

async function lines(store: Store, sql: string): Promise<string[]> {
  const rows = await store.query({ sql, row: Line });
  return rows.map(({ line }) => line).sort();
}

const bucketsSql = (table: string, key: string, bucket = 'bucket'): string => `
  SELECT concatWithSeparator('|', ${key}, toString(${bucket}), toString(n), toString(failed), toString(last),
    if(isNaN(top), 'none', toString(top)), toString(distinct)) AS line
  FROM (
    SELECT ${key}, ${bucket}, sum(calls) AS n, sum(errors) AS failed, max(last_call) AS last,
      toFloat32(arrayElement(quantilesBFloat16Merge(1.0)(durations), 1)) AS top,
      uniqCombinedMerge(sessions) AS distinct
    FROM ${table}
    GROUP BY ${key}, ${bucket}
  )`;

/** What the rollups do hold. */
export async function readRollups(store: Store): Promise<RollupLines> {
  return {
    minutes: await lines(
      store,
      bucketsSql(
        'tool_minutes',
        'server_name, environment, server_version, client_name, method, tool_name, outcome, fault, error_code',
      ),
    ),
    hours: await lines(
      store,
      bucketsSql('tool_hours', 'server_name, environment, method, tool_name, outcome, fault, error_code'),
    ),
    days: await lines(
      store,
      bucketsSql('tool_days', 'server_name, tool_name, environment, catalogue_hash', 'day'),
    ),
    clientDays: await lines(
      store,
      bucketsSql('client_days', 'server_name, tool_name, environment, client_name, server_version', 'day'),
    ),
    failed: await lines(
      store,
      `SELECT concatWithSeparator('|', span_id, server_name, tool_name, toString(started_at), outcome) AS line FROM failed_calls`,
    ),
    sessions: await lines(
      store,
      `SELECT concatWithSeparator('|', toString(d), server_name, session_source, session_id, toString(n), toString(c),
         toString(e), toString(first), toString(last), arrayStringConcat(arraySort(names), ',')) AS line
       FROM (
         SELECT day AS d, server_name, session_source, session_id, sum(requests) AS n, sum(calls) AS c, sum(errors) AS e,
           min(started_at) AS first, max(ended_at) AS last, groupUniqArrayArray(100)(tools) AS names
         FROM sessions
         GROUP BY d, server_name, session_source, session_id
       )`,
    ),
  };
}
