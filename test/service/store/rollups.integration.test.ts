// Every rollup against a recount, in TypeScript, of the very rows that were stored: the second opinion shares no SQL with
// the first. The rows span three days, so partitions, midnight and merges all take part.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Store } from '../../../src/service/store/store.ts';
import { type CallRow, createCallRows } from '../../support/dataset/call-rows.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';

const DAY_US = 86_400e6;
const rows = createCallRows({
  seed: 20,
  count: 4_000,
  fromUs: (Math.floor(Date.now() / 86_400_000) - 4) * DAY_US,
  spanUs: 3 * DAY_US,
});
const answeredRows = rows.filter((row) => row.side === 'server' && row.outcome !== 'input_required');
const UNTIMED = ['cancelled', 'abandoned', 'blocked', 'task'];

let started: TestEngine;
let store: Store;

beforeAll(async () => {
  started = await startTestEngine();
  store = started.store;
  for (let from = 0; from < rows.length; from += 500)
    await insertRows(store, 'calls', rows.slice(from, from + 500), `rollups-${from}`);
});
afterAll(async () => {
  await started.stop();
});

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    group.push(item);
    groups.set(keyOf(item), group);
  }
  return groups;
}

const maxOf = (values: readonly string[]): string => [...values].sort().at(-1) ?? '';
const minOf = (values: readonly string[]): string => [...values].sort()[0] ?? '';
const sessionOf = (row: CallRow): string => `${row.session_source}/${row.session_id}`;
const sessionsIn = (group: readonly CallRow[]): number =>
  new Set(group.filter((row) => row.session_id !== '').map(sessionOf)).size;

interface RollupStats {
  calls: number;
  errors: number;
  last_call: string;
  sessions: number;
}

function expectedRollup(keyOf: (row: CallRow) => string): Record<string, RollupStats> {
  const groups = [...groupBy(answeredRows, keyOf)].map(([key, group]): [string, RollupStats] => [
    key,
    {
      calls: group.length,
      errors: group.filter((row) => row.fault !== 'none').length,
      last_call: maxOf(group.map((row) => row.started_at.slice(0, 19))),
      sessions: sessionsIn(group),
    },
  ]);
  return Object.fromEntries(groups);
}

const RollupStatsRow = z.object({
  key: z.array(z.string()),
  calls: z.number(),
  errors: z.number(),
  last_call: z.string(),
  sessions: z.number(),
});

async function readRollup(table: string, columns: readonly string[]): Promise<Record<string, RollupStats>> {
  const found = await store.query({
    sql: `
      SELECT [${columns.map((column) => `toString(${column})`).join(', ')}] AS key, sum(t.calls) AS calls, sum(t.errors) AS errors,
             toString(max(t.last_call)) AS last_call, uniqCombinedMerge(t.sessions) AS sessions
      FROM ${table} AS t
      GROUP BY key`,
    row: RollupStatsRow,
  });
  return Object.fromEntries(found.map(({ key, ...figures }) => [key.join('|'), figures]));
}

const keyBy =
  (columns: readonly string[], bucketOf: (text: string) => string) =>
  (row: CallRow): string =>
    columns.map((column) => (column === 'bucket' ? bucketOf(row.started_at) : row[column])).join('|');

const OUTCOME_KEYS = ['tool_name', 'method', 'outcome', 'fault', 'error_code'];

describe.each([
  {
    table: 'tool_minutes',
    keys: ['server_name', 'environment', 'server_version', 'client_name', ...OUTCOME_KEYS, 'bucket'],
    bucketOf: (text: string) => `${text.slice(0, 16)}:00`,
  },
  {
    table: 'tool_hours',
    keys: ['server_name', 'environment', ...OUTCOME_KEYS, 'bucket'],
    bucketOf: (text: string) => `${text.slice(0, 13)}:00:00`,
  },
])('rollup $table', ({ table, keys, bucketOf }) => {
  test.each([
    ['everything it is keyed by', keys],
    ['tool and code', ['server_name', 'tool_name', 'error_code']],
    ['server', ['server_name']],
  ])('the rollup equals its oracle by %s, before and after its parts are merged', async (_, columns) => {
    const expected = expectedRollup(keyBy(columns, bucketOf));
    expect(Object.keys(expected).length).toBeGreaterThan(1);
    expect(await readRollup(table, columns)).toEqual(expected);
    await store.command(`OPTIMIZE TABLE ${table} FINAL`);
    expect(await readRollup(table, columns)).toEqual(expected);
  });

  // Requirement: figures.percentiles
  test('percentiles of the rollup are within 0.8 % of the nearest rank, for each tool and in total', async () => {
    const timed = answeredRows.filter((row) => row.tool_name !== '' && !UNTIMED.includes(row.outcome));
    const sql = (by: string): string => `
      SELECT ${by} AS tool, quantilesBFloat16Merge(0.5, 0.95, 0.99)(durations) AS found FROM ${table}
      WHERE tool_name != '' GROUP BY tool`;
    const Found = z.object({ tool: z.string(), found: z.array(z.number()) });
    const perTool = await store.query({ sql: sql('tool_name'), row: Found });
    const overAll = await store.query({ sql: sql("''"), row: Found });
    expect(perTool.length).toBeGreaterThan(20);
    for (const { tool, found } of [...perTool, ...overAll]) {
      const sorted = timed
        .filter((row) => tool === '' || row.tool_name === tool)
        .map((row) => row.duration_us)
        .sort((a, b) => a - b);
      for (const [at, level] of [0.5, 0.95, 0.99].entries())
        expectNear(found[at] ?? Number.NaN, { sorted, level, because: `${tool} p${level * 100}` });
    }
  });

  test('the rollup excludes durations of calls whose duration is meaningless', async () => {
    const [row] = await store.query({
      sql: `SELECT sum(calls) AS n, isNaN(quantilesBFloat16Merge(0.5)(durations)[1]) AS nothing FROM ${table} WHERE outcome IN ('cancelled', 'blocked')`,
      row: z.object({ n: z.number(), nothing: z.number() }),
    });
    expect(row?.n).toBeGreaterThan(10);
    expect(row?.nothing).toBe(1);
  });
});

function expectNear(
  found: number,
  {
    sorted,
    level,
    because,
  }: { readonly sorted: readonly number[]; readonly level: number; readonly because: string },
): void {
  const nearest = sorted[Math.ceil(level * sorted.length) - 1] ?? Number.NaN;
  const error = Math.abs(found - nearest) / nearest;
  expect(error, `${because} of ${sorted.length}: ${found} for ${nearest}`).toBeLessThanOrEqual(0.008);
}

const FAULT_NUMBERS: Readonly<Record<string, number>> = { none: 0, client: 1, server: 2 };
const usOf = ({ started_at }: CallRow): number =>
  Date.parse(`${started_at.slice(0, 19)}Z`) * 1_000 + Number(started_at.slice(20));

/** Fifteen digits times four is still a whole number. */
function toLastCall(row: CallRow): number {
  return usOf(row) * 4 + (FAULT_NUMBERS[row.fault] ?? 0);
}

/** Starts of the slots of five minutes in which it was going on, up to the end of the day it began in. */
function slotsOf(row: CallRow): number[] {
  const from = Math.floor(usOf(row) / 1e6);
  const midnight = (Math.floor(from / 86_400) + 1) * 86_400;
  const to = Math.min(from + Math.floor(row.duration_us / 1e6), midnight - 1);
  const slots = [];
  for (let at = Math.floor(from / 300) * 300; at <= to; at += 300) slots.push(at);
  return slots;
}

test('the sessions table equals its oracle, including sessions that cross midnight', async () => {
  const inSession = rows.filter((row) => row.side === 'server' && row.session_id !== '');
  const counted = inSession.filter((row) => row.method === 'tools/call' && row.outcome !== 'input_required');
  const callsOf = groupBy(counted, (row) => `${row.server_name}|${sessionOf(row)}`);
  const expected = [...groupBy(inSession, (row) => `${row.server_name}|${sessionOf(row)}`)].map(
    ([key, group]) => {
      const calls = callsOf.get(key) ?? [];
      return {
        key,
        requests: group.length,
        calls: calls.length,
        errors: calls.filter((row) => row.fault !== 'none').length,
        started_at: minOf(group.map((row) => row.started_at)),
        plan_id: maxOf(group.map((row) => row.plan_id)),
        client: `${group[0]?.client_name} ${group[0]?.client_version}`,
        place: `${group[0]?.environment} ${group[0]?.server_version}`,
        confidence: 'medium',
        tools: [...new Set(group.map((row) => row.tool_name).filter((name) => name !== ''))].sort(),
        connected: group.some((row) => row.method === 'initialize') ? 1 : 0,
        listed: group.some((row) => row.method === 'tools/list') ? 1 : 0,
        last_call: Math.max(0, ...calls.map(toLastCall)),
        slots: [...new Set(group.flatMap(slotsOf))].sort((a, b) => a - b),
      };
    },
  );
  const found = await store.query({
    sql: `
      SELECT server_name || '|' || session_source || '/' || session_id AS key, sum(s.requests) AS requests, sum(s.calls) AS calls,
             sum(s.errors) AS errors, toString(min(s.started_at)) AS started_at, max(s.plan_id) AS plan_id,
             max(client_name) || ' ' || max(client_version) AS client, max(environment) || ' ' || max(server_version) AS place,
             max(session_confidence) AS confidence, arraySort(groupUniqArrayArray(s.tools)) AS tools, count() AS days,
             max(s.connected) AS connected, max(s.listed) AS listed, max(s.last_call) AS last_call,
             arraySort(groupUniqArrayArray(arrayMap(slot -> toUInt32(toDateTime(day)) + slot * 300, s.active_slots))) AS slots
      FROM sessions AS s
      GROUP BY key`,
    row: z.looseObject({ key: z.string(), days: z.number() }),
  });
  const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : 1);
  expect(found.some(({ days }) => days > 1)).toBe(true);
  expect(found.map(({ days: _, ...rest }) => rest).sort(byKey)).toEqual(expected.sort(byKey));
});

test('a session ends with the end of its last request', async () => {
  const End = z.object({ session_id: z.string(), ended: z.number() });
  const found = await store.query({
    sql: 'SELECT session_id, toUnixTimestamp64Micro(max(ended_at)) AS ended FROM sessions GROUP BY session_id',
    row: End,
  });
  const ends = await store.query({
    sql: `SELECT session_id, max(toUnixTimestamp64Micro(started_at) + duration_us) AS ended FROM calls
          WHERE side = 'server' AND session_id != '' GROUP BY session_id`,
    row: End,
  });
  const sorted = (list: z.infer<typeof End>[]): z.infer<typeof End>[] =>
    list.sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  expect(sorted(found)).toEqual(sorted(ends));
});

test('the tool_usage table has the first and the last call of each name and environment', async () => {
  const calls = answeredRows.filter((row) => row.method === 'tools/call');
  const keyOf = (row: CallRow): string => `${row.server_name}|${row.environment}|${row.tool_name}`;
  const expected = Object.fromEntries(
    [...groupBy(calls, keyOf)].map(([key, group]) => [
      key,
      {
        first_call: minOf(group.map((row) => row.started_at)),
        last_call: maxOf(group.map((row) => row.started_at)),
      },
    ]),
  );
  const found = await store.query({
    sql: `
      SELECT server_name || '|' || environment || '|' || tool_name AS key,
             toString(min(u.first_call)) AS first_call, toString(max(u.last_call)) AS last_call
      FROM tool_usage AS u GROUP BY key`,
    row: z.object({ key: z.string(), first_call: z.string(), last_call: z.string() }),
  });
  expect(Object.fromEntries(found.map(({ key, ...figures }) => [key, figures]))).toEqual(expected);
});

test('a definition is one row however often it is listed, and a new row when it changes', async () => {
  const listing = (hash: string, minute: number, over: object = {}): object => ({
    server_name: 'notes',
    server_version: '1.0',
    environment: 'production',
    listed_at: `2026-01-05 10:${String(minute).padStart(2, '0')}:00.000000`,
    origin: 'list',
    catalogue_hash: 'c',
    tool_name: 'write',
    definition: `{"name":"write","description":"${hash}"}`,
    definition_hash: hash,
    trace_id: '',
    span_id: '',
    ...over,
  });
  await insertRows(store, 'tool_listings', [listing('1', 5), listing('1', 7, { environment: 'staging' })]);
  await insertRows(store, 'tool_listings', [
    listing('1', 3, { origin: 'start', server_version: '0.9' }),
    listing('2', 9),
    listing('2', 10, { origin: 'start' }),
  ]);
  const found = await store.query({
    sql: `
      SELECT toString(definition_hash) AS hash, any(t.definition) AS definition, toString(min(t.first_seen)) AS first_seen,
             toString(max(t.last_listed)) AS last_listed, sum(t.listings) AS listings,
             arraySort(groupUniqArrayArray(t.environments)) AS environments, arraySort(groupUniqArrayArray(t.versions)) AS versions
      FROM tools AS t WHERE server_name = 'notes' AND tool_name = 'write' GROUP BY hash ORDER BY hash`,
    row: z.unknown(),
  });
  expect(found).toEqual([
    {
      hash: '1',
      definition: '{"name":"write","description":"1"}',
      first_seen: '2026-01-05 10:03:00.000000',
      last_listed: '2026-01-05 10:07:00.000000',
      listings: 2,
      environments: ['production', 'staging'],
      versions: ['0.9', '1.0'],
    },
    {
      hash: '2',
      definition: '{"name":"write","description":"2"}',
      first_seen: '2026-01-05 10:09:00.000000',
      last_listed: '2026-01-05 10:10:00.000000',
      listings: 1,
      environments: ['production'],
      versions: ['1.0'],
    },
  ]);
});
