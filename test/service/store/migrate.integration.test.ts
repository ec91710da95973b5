import { readdir, readFile } from 'node:fs/promises';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createQueries } from '../../../src/service/queries/queries.ts';
import { migrate, readMigrations } from '../../../src/service/store/migrate.ts';
import { applyRetention } from '../../../src/service/store/retention.ts';
import { createStore, type Store } from '../../../src/service/store/store.ts';
import { createSeededCall, toStoredRow } from '../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';

let started: TestEngine;
const stores: Store[] = [];

beforeAll(async () => {
  started = await startTestEngine();
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await started.stop();
});

function openDatabase(database: string): Store {
  const { url, username, password } = started.engine;
  const store = createStore({ url, username, password, database, log: pino({ level: 'silent' }) });
  stores.push(store);
  return store;
}

const Name = z.object({ name: z.string() });
const tablesOf = async (store: Store): Promise<string[]> =>
  (
    await store.query({
      sql: 'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
      row: Name,
    })
  ).map(({ name }) => name);

test('migrating an empty database creates every table, and a second run changes nothing', async () => {
  const store = openDatabase('fresh');
  const files = await readMigrations();
  expect(await migrate(store)).toBe(files.length);
  const tables = await tablesOf(store);
  expect(tables).toEqual(
    expect.arrayContaining([
      'alert_events',
      'annotations',
      'calls',
      'loops',
      'payloads',
      'schema_migrations',
      'sessions',
      'tool_hours',
      'tool_listings',
      'tool_minutes',
      'tool_usage',
      'tools',
    ]),
  );
  expect(await migrate(store)).toBe(0);
  expect(await tablesOf(store)).toEqual(tables);
});

test('a migration that was killed half-way is completed by the next start', async () => {
  const store = openDatabase('half');
  const [ledger, calls, ...rest] = await readMigrations();
  await store.createDatabase();
  for (const statement of [...(ledger?.statements ?? []), ...(calls?.statements ?? [])])
    await store.command(statement);
  expect(await migrate(store)).toBe(rest.length + 2);
});

test('only new migration files are applied', async () => {
  const store = openDatabase('growing');
  const files = await readMigrations();
  await migrate(store, files.slice(0, 3));
  expect(await tablesOf(store)).toEqual(['calls', 'payloads', 'schema_migrations']);
  expect(await migrate(store, files)).toBe(files.length - 3);
});

/** `0180_calls_result_flow.sql`. */
const RESULT_USE_VERSION = 180;

test('calls of a database from before result use was known keep their figures, and nothing is claimed of their results', async () => {
  const store = openDatabase('earlier');
  const files = await readMigrations();
  const isEarlier = ({ version }: { readonly version: number }) => version < RESULT_USE_VERSION;
  expect(files.some((file) => !isEarlier(file))).toBe(true);
  await migrate(store, files.filter(isEarlier));
  const nowMs = Date.now();
  const startedUs = (nowMs - 60_000) * 1_000;
  const failed = { outcome: 'invalid_arguments', fault: 'client', error_code: '-32602' } as const;
  const calls = [createSeededCall({ startedUs }), createSeededCall({ startedUs, ...failed })];
  await insertRows(store, 'calls', calls.map(toStoredRow));
  expect(await migrate(store, files)).toBe(files.filter((file) => !isEarlier(file)).length);
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  const queries = createQueries({ store, clock: () => nowMs, freshness });
  const range = { fromMs: nowMs - 3_600_000, toMs: nowMs };
  const rates = await queries.rates({ range });
  expect(rates).toMatchObject({ correctCalls: { n: 2, value: 0.5 }, resultUse: { n: 0, value: null } });
  expect(await queries.resultUse({ range })).toMatchObject({ window: { calls: 2 }, tools: [], edges: [] });
  const [call] = (await queries.calls({ range, limit: 10 })).calls;
  expect(call).toMatchObject({ tool: 'search_notes', argumentOrigins: [] });
});

test('a migration file changed after it was applied stops the start', async () => {
  const store = openDatabase('edited');
  const files = (await readMigrations()).slice(0, 2);
  await migrate(store, files);
  const edited = files.map((file) => (file.name === 'calls' ? { ...file, checksum: 'another' } : file));
  await expect(migrate(store, edited)).rejects.toMatchObject({
    code: 'STORE_REJECTED',
    message: expect.stringContaining('Migration 102 (calls)'),
  });
});

test('every migration file begins with a comment that states its purpose', async () => {
  const folder = new URL('../../../sql/', import.meta.url);
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql'))) {
    const text = await readFile(new URL(file, folder), 'utf8');
    const header = text.split('\n\n')[0] ?? '';
    expect(header, file).toMatch(/^--/);
    for (const word of ['Serves', 'Key:', 'Cardinality:', 'Rejected:']) expect(header, file).toContain(word);
  }
});

test.each([
  [12, 'the other 19 are missing'],
  [31, 'their checksums are unknown'],
])('a database with %i migrations of an unreleased version is refused because %s', async (count) => {
  const store = openDatabase(`unreleased${count}`);
  const [ledger] = await readMigrations();
  await store.createDatabase();
  for (const statement of ledger?.statements ?? []) await store.command(statement);
  const rows = Array.from({ length: count }, (_, index) => ({
    version: index + 1,
    name: 'old',
    checksum: 'unknown',
  }));
  await insertRows(store, 'schema_migrations', rows);
  await expect(migrate(store)).rejects.toMatchObject({
    code: 'STORE_REJECTED',
    retryable: false,
    message: expect.stringContaining(`its ${count} migrations are not the 31`),
  });
  expect(await tablesOf(store)).toEqual(['schema_migrations']);
});

test('retention is changed where it differs from the settings, and otherwise left alone', async () => {
  const { store } = started;
  const asked = { rawDays: 10, rollupDays: 400, payloadDays: 3, childSpanDays: 5, agentCallDays: 9 };
  expect(await applyRetention(store, asked)).toEqual([
    'calls',
    'tool_minutes',
    'client_days',
    'listing_days',
    'failed_calls',
    'payloads',
    'child_spans',
    'agent_calls',
    'tool_hours',
    'tool_days',
    'sessions',
    'loops',
    'storms',
    'change_points',
    'change_point_states',
    'alert_events',
    'failure_sightings',
    'name_sightings',
  ]);
  expect(await applyRetention(store, asked)).toEqual([]);
  expect(await applyRetention(store, { ...asked, payloadDays: 4 })).toEqual(['payloads']);
});
