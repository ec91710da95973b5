// What is too old goes, table by table, when the settings say so: a TTL that was changed holds for what is stored already.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applyRetention } from '../../../src/service/store/retention.ts';
import { rowTime } from '../../support/dataset/call-rows.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';

const DAY_US = 86_400_000_000;
const NOW_US = Date.now() * 1000;
/** Of then: midnight may come while the test runs. */
const TODAY = rowTime(NOW_US).slice(0, 10);
const LONG_RETENTION = {
  ...{ rawDays: 3650, rollupDays: 3650, payloadDays: 3650 },
  ...{ childSpanDays: 3650, agentCallDays: 3650 },
};
const DEFAULTS = { rawDays: 30, rollupDays: 396, payloadDays: 7, childSpanDays: 8, agentCallDays: 29 };
const AGES = [2, 6, 9, 28, 33, 300, 430];

let engine: TestEngine;

const at = (days: number): string => rowTime(NOW_US - days * DAY_US);

function rowsOf(days: number) {
  const started_at = at(days);
  const key = { trace_id: `trace-${days}`, span_id: `span-${days}`, server_name: 'notes', started_at };
  const session = { session_id: `session-${days}`, session_source: 'transport' };
  return {
    calls: {
      ...key,
      ...session,
      side: 'server',
      method: 'tools/call',
      tool_name: 'search',
      outcome: 'tool_error',
      fault: 'server',
      error_code: `E${days}`,
      client_name: `client-${days}`,
    },
    payloads: { ...key, arguments: '{}', result: '{}' },
    child_spans: { ...key, child_id: 1, name: 'GET', kind: 'http' },
    agent_calls: {
      ...{ trace_id: key.trace_id, span_id: key.span_id, started_at },
      ...{ emitter: 'gen_ai', tool_name: 'search' },
    },
    storms: { id: `storm-${days}`, server_name: 'notes', first_at: started_at, last_at: started_at },
    change_points: {
      ...{ id: `change-${days}`, server_name: 'notes' },
      ...{ onset: started_at.slice(0, 19), detected_at: started_at.slice(0, 19) },
    },
    change_point_states: { server_name: `server-${days}`, minute: started_at.slice(0, 19), state: '{}' },
    loops: {
      id: `loop-${days}`,
      server_name: 'notes',
      ...session,
      onset: started_at,
      last_at: started_at,
      detected_at: started_at,
    },
    alert_events: { rule_id: 'long', fingerprint: `f-${days}`, at: started_at.slice(0, 23) },
  };
}

/** Its session had listed the tools before. */
const listingOf = (call: object): object => ({
  ...call,
  span_id: 'listing',
  method: 'tools/list',
  catalogue_hash: 'catalogue',
  tool_name: '',
  outcome: 'ok',
  fault: 'none',
});

/** Ages in days of what a table still holds. */
async function agesIn(table: string, column: string): Promise<number[]> {
  const rows = await engine.store.query({
    sql: `SELECT DISTINCT dateDiff('day', toDate(${column}), toDate('${TODAY}')) AS age FROM ${table} ORDER BY age`,
    row: z.object({ age: z.coerce.number() }),
  });
  return rows.map(({ age }) => age);
}

const TABLES: readonly (readonly [string, string, number])[] = [
  ['calls', 'started_at', DEFAULTS.rawDays],
  ['tool_minutes', 'bucket', DEFAULTS.rawDays],
  ['payloads', 'started_at', DEFAULTS.payloadDays],
  ['child_spans', 'started_at', DEFAULTS.childSpanDays],
  ['agent_calls', 'started_at', DEFAULTS.agentCallDays],
  ['client_days', 'day', DEFAULTS.rawDays],
  ['listing_days', 'day', DEFAULTS.rawDays],
  ['failed_calls', 'started_at', DEFAULTS.rawDays],
  ['tool_hours', 'bucket', DEFAULTS.rollupDays],
  ['tool_days', 'day', DEFAULTS.rollupDays],
  ['sessions', 'day', DEFAULTS.rollupDays],
  ['loops', 'onset', DEFAULTS.rollupDays],
  ['storms', 'first_at', DEFAULTS.rollupDays],
  ['change_points', 'onset', DEFAULTS.rollupDays],
  ['change_point_states', 'minute', DEFAULTS.rawDays],
  ['alert_events', 'at', DEFAULTS.rollupDays],
  ['failure_sightings', 'last_seen', DEFAULTS.rollupDays],
  ['name_sightings', 'last_seen', DEFAULTS.rollupDays],
];

/** Without an age of their own: what is known of tools and deploys, and what upkeep writes down of itself for 13 months. */
const UNLIMITED_TABLES = [
  'advice_dismissals',
  'advice_seen',
  'annotations',
  'catalogue_tools',
  'reconciliations',
  'schema_migrations',
  // A row a running service, dropped a day after it was last seen, whatever the settings.
  'store_users',
  'tool_usage',
  'tools',
];

beforeAll(async () => {
  engine = await startTestEngine();
  await applyRetention(engine.store, LONG_RETENTION);
  for (const days of AGES)
    for (const [table, row] of Object.entries(rowsOf(days)))
      await insertRows(engine.store, table, table === 'calls' ? [row, listingOf(row)] : [row]);
}, 300_000);

afterAll(() => engine.stop());

// Requirement: retention.days
describe('retention', () => {
  test('all rows are kept for their configured retention', async () => {
    for (const [table, column] of TABLES) expect(await agesIn(table, column), table).toEqual(AGES);
  });

  test('every table has a retention period or is listed as unlimited', async () => {
    const tables = await engine.store.query({
      sql: "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name",
      row: z.object({ name: z.string() }),
    });
    const known = [...TABLES.map(([table]) => table), ...UNLIMITED_TABLES];
    expect(tables.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
  });

  describe('shortened retention', () => {
    beforeAll(async () => {
      await applyRetention(engine.store, DEFAULTS);
      // What the engine does by itself within hours.
      for (const [table] of TABLES)
        await engine.store.command(`ALTER TABLE ${table} MATERIALIZE TTL SETTINGS mutations_sync = 2`);
      for (const [table] of TABLES) await engine.store.command(`OPTIMIZE TABLE ${table} FINAL`);
    }, 300_000);

    test.each(TABLES)(
      'a shorter retention keeps in %s, by the column %s, only what is no older than %d days',
      async (table, column, days) => {
        const kept = AGES.filter((age) => age <= days);
        expect(kept.length).toBeGreaterThan(1);
        expect(kept.length).toBeLessThan(AGES.length);
        expect(await agesIn(table, column)).toEqual(kept);
      },
    );
  });
});
