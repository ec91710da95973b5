// What the store holds, counted again from its single calls, row by row and in JavaScript: none of the SQL that fills or
// mends the rollups is used.
import { z } from 'zod';
import type { Store } from '../../../src/service/store/store.ts';

const StoredCall = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  side: z.string(),
  server_name: z.string(),
  method: z.string(),
  tool_name: z.string(),
  outcome: z.string(),
  fault: z.string(),
  error_code: z.string(),
  session_source: z.string(),
  session_id: z.string(),
  seconds: z.coerce.number(),
});
type StoredCall = z.infer<typeof StoredCall>;

export interface StoreAudit {
  readonly traceIds: ReadonlySet<string>;
  readonly calls: number;
  /** Trace and span of every call that is there more than once. */
  readonly twice: readonly string[];
  /** Each line is one figure of a rollup that is not what the calls say. */
  readonly differences: readonly string[];
}

/** Counts of calls and errors under a key. */
type CountsByKey = Map<string, { calls: number; errors: number }>;

/** @param store over the data directory of a service that has ended */
export async function auditStore(store: Store): Promise<StoreAudit> {
  const knownSpans = new Set<string>();
  const traceIds = new Set<string>();
  const twice: string[] = [];
  const tables = { minutes: new Map(), hours: new Map(), sessions: new Map() } as const;
  let calls = 0;
  for (const digit of '0123456789abcdef') {
    for (const call of await readCalls(store, digit)) {
      const key = `${call.trace_id}.${call.span_id}`;
      if (knownSpans.has(key)) twice.push(key);
      knownSpans.add(key);
      traceIds.add(call.trace_id);
      calls += 1;
      countCall(tables, call);
    }
  }
  const differences = [
    ...compareCounts('tool_minutes', tables.minutes, await readRollup(store, 'tool_minutes')),
    ...compareCounts('tool_hours', tables.hours, await readRollup(store, 'tool_hours')),
    ...compareCounts('sessions', tables.sessions, await readSessions(store)),
  ];
  return { traceIds, calls, twice, differences };
}

/** In sixteen parts, because a read of everything is more than the store hands out at once. */
function readCalls(store: Store, digit: string): Promise<StoredCall[]> {
  return store.query({
    sql: `SELECT trace_id, span_id, side, server_name, method, tool_name, outcome, fault, error_code, session_source,
            session_id, toUnixTimestamp(toDateTime(started_at, 'UTC')) AS seconds
          FROM calls WHERE startsWith(trace_id, {digit:String})`,
    params: { digit },
    row: StoredCall,
  });
}

function countCall(
  tables: { minutes: CountsByKey; hours: CountsByKey; sessions: CountsByKey },
  call: StoredCall,
): void {
  if (call.side !== 'server') return;
  const isError = call.fault !== 'none';
  const isInterim = call.outcome === 'input_required';
  const { server_name, method, tool_name, outcome, error_code, seconds } = call;
  const group = [server_name, method, tool_name, outcome, error_code].join('|');
  if (!isInterim) {
    addCount(tables.minutes, `${group}|${seconds - (seconds % 60)}`, isError);
    addCount(tables.hours, `${group}|${seconds - (seconds % 3_600)}`, isError);
  }
  if (call.session_id === '' || method !== 'tools/call' || isInterim) return;
  addCount(tables.sessions, [server_name, call.session_source, call.session_id].join('|'), isError);
}

function addCount(figures: CountsByKey, key: string, isError: boolean): void {
  const known = figures.get(key) ?? { calls: 0, errors: 0 };
  figures.set(key, { calls: known.calls + 1, errors: known.errors + (isError ? 1 : 0) });
}

const Rollup = z.object({ key: z.string(), calls: z.coerce.number(), errors: z.coerce.number() });

async function readRollup(store: Store, table: 'tool_minutes' | 'tool_hours'): Promise<CountsByKey> {
  const rows = await store.query({
    sql: `SELECT concat(server_name, '|', method, '|', tool_name, '|', outcome, '|', error_code, '|',
              toString(toUnixTimestamp(bucket))) AS key,
            sum(rollup.calls) AS calls, sum(rollup.errors) AS errors
          FROM ${table} AS rollup GROUP BY key`,
    row: Rollup,
  });
  return new Map(rows.map(({ key, calls, errors }) => [key, { calls, errors }]));
}

async function readSessions(store: Store): Promise<CountsByKey> {
  const rows = await store.query({
    sql: `SELECT concat(server_name, '|', session_source, '|', session_id) AS key,
            sum(rollup.calls) AS calls, sum(rollup.errors) AS errors
          FROM sessions AS rollup GROUP BY key HAVING calls > 0`,
    row: Rollup,
  });
  return new Map(rows.map(({ key, calls, errors }) => [key, { calls, errors }]));
}

function compareCounts(table: string, counted: CountsByKey, stored: CountsByKey): string[] {
  const show = (figures: { calls: number; errors: number } | undefined) =>
    figures ? `${figures.calls} calls, ${figures.errors} errors` : 'nothing';
  return [...new Set([...counted.keys(), ...stored.keys()])]
    .filter((key) => show(counted.get(key)) !== show(stored.get(key)))
    .map((key) => `${table} ${key}: ${show(stored.get(key))}, recounted ${show(counted.get(key))}`);
}
