import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Migration, migrate, readMigrations } from '../../../src/service/store/migrate.ts';
import { applyRetention } from '../../../src/service/store/retention.ts';
import { createStore, type Store } from '../../../src/service/store/store.ts';
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

/** The files that make, change or fill one of these tables: others are nothing to them, and take most of the time. */
async function readMigrationsOf(...tables: readonly string[]): Promise<Migration[]> {
  const change = new RegExp(`\\b(?:TABLE|EXISTS|INTO|TO) (?:schema_migrations|${tables.join('|')})\\b`);
  const files = await readMigrations();
  return files.filter(({ statements }) => statements.some((statement) => change.test(statement)));
}

const Name = z.object({ name: z.string() });
const tablesOf = async (store: Store): Promise<string[]> =>
  (
    await store.query({
      sql: 'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
      row: Name,
    })
  ).map(({ name }) => name);

test('an empty database gets every table, and a second run changes nothing', async () => {
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

test('a start that was killed half way is finished by the next', async () => {
  const store = openDatabase('half');
  const [journal, calls, ...rest] = await readMigrations();
  await store.createDatabase();
  for (const statement of [...(journal?.statements ?? []), ...(calls?.statements ?? [])])
    await store.command(statement);
  expect(await migrate(store)).toBe(rest.length + 2);
});

test('only what is new is applied', async () => {
  const store = openDatabase('growing');
  const files = await readMigrations();
  await migrate(store, files.slice(0, 3));
  expect(await tablesOf(store)).toEqual(['calls', 'payloads', 'schema_migrations']);
  expect(await migrate(store, files)).toBe(files.length - 3);
});

test.each([0, 1, 2])(
  'listings of before are kept when tools are told apart, also when killed after step %i',
  async (steps) => {
    const store = openDatabase(`apart${steps}`);
    const files = await readMigrationsOf('tools', 'tool_listings');
    await migrate(
      store,
      files.filter(({ version }) => version < 13),
    );
    const listing = (environment: string, hash: number, hour: number) => ({
      server_name: 'notes',
      server_version: '1.0',
      environment,
      listed_at: `2026-01-05 ${hour}:00:00.000000`,
      origin: 'list',
      catalogue_hash: 'c',
      tool_name: 'write',
      definition: `{"version":${hash}}`,
      definition_hash: hash,
      trace_id: '',
      span_id: '',
    });
    await insertRows(store, 'tool_listings', [listing('production', 1, 10), listing('staging', 1, 11)]);
    const interrupted = files.find(({ version }) => version === 13);
    for (const statement of interrupted?.statements.slice(0, steps) ?? []) await store.command(statement);
    await migrate(store, files);
    await insertRows(store, 'tool_listings', [listing('production', 1, 12), listing('staging', 2, 13)]);
    const found = await store.query({
      sql: `SELECT listed_in, max(definition_hash) AS hash, sum(listings) AS n, toHour(max(last_listed)) AS hour
          FROM tools FINAL ARRAY JOIN environments AS listed_in WHERE environment != '' GROUP BY listed_in ORDER BY listed_in`,
      row: z.unknown(),
    });
    expect(found).toEqual([
      { listed_in: 'production', hash: 1, n: 1, hour: 12 },
      { listed_in: 'staging', hash: 2, n: 1, hour: 13 },
    ]);
    const [kept] = await store.query({
      sql: `SELECT arraySort(environments) AS names, listings AS n FROM tools FINAL WHERE environment = ''`,
      row: z.unknown(),
    });
    expect(kept).toEqual({ names: ['production', 'staging'], n: 2 });
  },
);

/** A call of `write`; of yesterday, because the table forgets by the engine's own clock. */
function createYesterdayCall(id: number) {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  return {
    trace_id: `trace-${id}`,
    span_id: `span-${id}`,
    server_name: 'notes',
    session_source: 'host',
    side: 'server',
    method: 'tools/call',
    tool_name: 'write',
    started_at: `${yesterday} 10:00:0${id}.000000`,
    duration_us: 10,
    outcome: 'ok',
    fault: 'none',
  };
}

test.each([0, 1, 2, 3, 4, 5])(
  'sessions of before get the names of their calls, also when killed after step %i',
  async (steps) => {
    const store = openDatabase(`names${steps}`);
    const files = await readMigrationsOf('calls', 'sessions');
    await migrate(
      store,
      files.filter(({ version }) => version < 25),
    );
    const call = (id: number, client: string, version: string) => ({
      ...createYesterdayCall(id),
      server_version: version,
      client_name: client,
      session_id: 'one',
    });
    await insertRows(store, 'calls', [call(1, 'zed', '1.0'), call(2, '', '1.0')]);
    await insertRows(store, 'calls', [call(3, 'cursor', '2.0')]);
    const interrupted = files.find(({ version }) => version === 25);
    for (const statement of interrupted?.statements.slice(0, steps) ?? []) await store.command(statement);
    expect(await migrate(store, files)).toBe(files.filter(({ version }) => version >= 25).length);
    await insertRows(store, 'calls', [call(4, 'goose', '2.0')]);
    const found = await store.query({
      sql: `SELECT arraySort(groupUniqArrayArray(clients)) AS clients, arraySort(groupUniqArrayArray(versions)) AS versions,
              sum(requests) AS n, uniqExact(identity_hash) AS hashes,
              any(identity_hash) = cityHash64(any(server_name), any(session_source), any(session_id)) AS is_hashed
            FROM sessions`,
      row: z.unknown(),
    });
    expect(found).toEqual([
      { clients: ['', 'cursor', 'goose', 'zed'], versions: ['1.0', '2.0'], n: 4, hashes: 1, is_hashed: 1 },
    ]);
  },
);

test.each([0, 1, 8])(
  'days of clients from before get the definitions and sizes of their calls, also when killed after step %i',
  async (steps) => {
    const store = openDatabase(`sizes${steps}`);
    const files = await readMigrations();
    await migrate(
      store,
      files.filter(({ version }) => version < 26),
    );
    const call = (id: number, catalogue: string, bytes: number) => ({
      ...createYesterdayCall(id),
      server_version: '1.0',
      client_name: 'zed',
      session_id: `session-${id}`,
      outcome: bytes === 0 ? 'invalid_arguments' : 'ok',
      fault: bytes === 0 ? 'client' : 'none',
      result_bytes: bytes,
      catalogue_hash: catalogue,
    });
    await insertRows(store, 'calls', [call(1, 'a', 500), call(2, 'b', 20_000), call(3, 'b', 0)]);
    const added = files.find(({ version }) => version === 26);
    for (const statement of added?.statements.slice(0, steps) ?? []) await store.command(statement);
    await migrate(store, files);
    await insertRows(store, 'calls', [call(4, 'b', 30_000)]);
    const found = await store.query({
      sql: `SELECT toString(catalogue_hash) AS catalogue, sum(calls) AS n, sum(client_errors) AS refused,
              sumMap(sized_calls) AS sizes, uniqCombinedMerge(sessions) AS sessions_of
            FROM client_days GROUP BY catalogue ORDER BY catalogue`,
      row: z.unknown(),
    });
    expect(found).toEqual([
      { catalogue: 'a', n: 1, refused: 0, sizes: { 0: 1 }, sessions_of: 1 },
      { catalogue: 'b', n: 3, refused: 1, sizes: { 0: 1, 2: 2 }, sessions_of: 3 },
    ]);
  },
);

test('a file that was changed after it was applied stops the start', async () => {
  const store = openDatabase('edited');
  const files = await readMigrationsOf('calls');
  await migrate(store, files);
  const edited = files.map((file) => (file.version === 2 ? { ...file, checksum: 'another' } : file));
  await expect(migrate(store, edited)).rejects.toMatchObject({
    code: 'STORE_REJECTED',
    message: expect.stringContaining('Migration 2 (calls)'),
  });
});

test('every file opens with a comment that names what it serves', async () => {
  const { readdir, readFile } = await import('node:fs/promises');
  const folder = new URL('../../../sql/', import.meta.url);
  for (const file of await readdir(folder)) {
    const text = await readFile(new URL(file, folder), 'utf8');
    const header = text.split('\n\n')[0] ?? '';
    expect(header, file).toMatch(/^--/);
    for (const word of ['Serves', 'Key:', 'Cardinality:', 'Rejected:']) expect(header, file).toContain(word);
  }
});

test('retention is set where it differs, and kept where it does not', async () => {
  const { store } = started;
  const asked = { rawDays: 10, rollupDays: 400, payloadDays: 3 };
  expect(await applyRetention(store, asked)).toEqual([
    'calls',
    'tool_minutes',
    'client_days',
    'listing_days',
    'failed_calls',
    'payloads',
    'tool_hours',
    'tool_days',
    'sessions',
    'loops',
    'storms',
    'alert_events',
    'failure_sightings',
    'name_sightings',
  ]);
  expect(await applyRetention(store, asked)).toEqual([]);
  expect(await applyRetention(store, { ...asked, payloadDays: 4 })).toEqual(['payloads']);
});
