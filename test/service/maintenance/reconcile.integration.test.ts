// Rollups are damaged on purpose on a real engine, and must equal an independent oracle over the calls afterwards.

import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { UpstreamError } from '../../../src/errors.ts';
import {
  type ReconcilePorts,
  type Reconciliation,
  reconcile,
} from '../../../src/service/maintenance/reconcile.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type CallRow, createCallRows } from '../../support/dataset/call-rows.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import { computeRollups, readRollupCalls, readRollups } from '../../support/oracle/rollups.ts';
import { sampleCases } from '../../support/property-runs.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();
const FIRST_DAY = Math.floor(NOW / DAY_MS) - 4;
const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
const DAY = dayText(FIRST_DAY + 1);

/** An hour before midnight and one after it: a session crosses it. */
const ROWS = createCallRows({
  seed: 7,
  count: 500,
  fromUs: (FIRST_DAY + 23 / 24) * DAY_MS * 1000,
  spanUs: (2 / 24) * DAY_MS * 1000,
});
const of = (day: string): CallRow[] => ROWS.filter((row) => row.started_at.startsWith(day));
const SEQ = ROWS.length;
const ROLLUPS = [
  'tool_minutes',
  'tool_hours',
  'tool_days',
  'client_days',
  'listing_days',
  'failed_calls',
  'sessions',
];
/** Of the day, what may come twice below: none of it has failed. */
const SUCCESSFUL_ROWS = of(DAY).filter(({ fault }) => fault === 'none');
const COUNTING_ROLLUPS = ROLLUPS.filter((table) => table !== 'failed_calls');
const SIGHTING_TABLES = ['tool_usage', 'name_sightings', 'failure_sightings'];
const DERIVED_TABLES = ['calls', ...ROLLUPS, ...SIGHTING_TABLES, 'reconciliations'];

let started: TestEngine;
let store: Store;

beforeAll(async () => {
  started = await startTestEngine();
  store = started.store;
});
afterAll(async () => {
  await started.stop();
});
beforeEach(async () => {
  for (const table of DERIVED_TABLES) await store.command(`TRUNCATE TABLE ${table}`);
});

/** Two checks are never written down at one instant. */
let ticks = 0;

function portsOf(changes: Partial<ReconcilePorts> = {}): ReconcilePorts {
  return {
    store,
    node: 'node-1',
    committedOffset: () => SEQ,
    holdWrites: async () => () => undefined,
    retention: { rawDays: 30, rollupDays: 395 },
    now: () => NOW + ++ticks,
    signal: new AbortController().signal,
    log: pino({ level: 'silent' }),
    ...changes,
  };
}

async function expectRollupsCorrect(): Promise<void> {
  const calls = await readRollupCalls(store);
  expect(new Set(calls.map((call) => `${call.trace_id}:${call.span_id}`)).size).toBe(calls.length);
  const is = await readRollups(store);
  const should = computeRollups(calls);
  expect(is.minutes).toEqual(should.minutes);
  expect(is.hours).toEqual(should.hours);
  expect(is.sessions).toEqual(should.sessions);
  // What is known of a duplicate that was removed stays known.
  expect(await readUsage('tool_usage')).toEqual(expect.arrayContaining(await readUsage(COUNTED_USAGE)));
}

const COUNTED_USAGE = `(
  SELECT server_name, environment, tool_name, started_at AS first_call, started_at AS last_call FROM calls
  WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required' AND toDate(started_at) = '${DAY}')`;

/** Of the day's tools. */
function readUsage(source: string) {
  return store.query({
    sql: `SELECT server_name, tool_name, environment, toString(max(last_call)) AS last FROM ${source}
          WHERE toDate(last_call) = '${DAY}' GROUP BY ALL ORDER BY ALL`,
    row: z.object({
      server_name: z.string(),
      tool_name: z.string(),
      environment: z.string(),
      last: z.string(),
    }),
  });
}

const RecordedReconciliation = z.object({
  result: z.string(),
  to_seq: z.number(),
  hours: z.number(),
  duplicates_removed: z.number(),
  differences: z.record(z.string(), z.number()),
  repaired: z.array(z.string()),
  open: z.array(z.string()),
});

function readRecords(node = 'node-1') {
  return store.query({
    sql: `SELECT *, arrayMap(x -> toString(x), repaired_days) AS repaired, arrayMap(x -> toString(x), open_days) AS open
          FROM reconciliations WHERE checked_by = {node:String} AND ingest_node = {node:String} ORDER BY at`,
    params: { node },
    row: RecordedReconciliation,
  });
}

const another = (rows: readonly CallRow[], changes: Partial<CallRow> = {}): CallRow[] =>
  rows.map((row, at) => ({
    ...row,
    ...changes,
    ingest_node: 'node-2',
    ingest_seq: at + 1,
    ingested_at: row.started_at,
  }));

interface DamageCase {
  readonly name: string;
  readonly because: string;
  readonly damage: () => Promise<void>;
  readonly differs: readonly string[];
  readonly duplicates?: number;
  /** The repaired days, if not just the one. */
  readonly repairedDays?: readonly string[];
}

const DAMAGES: readonly DamageCase[] = [
  {
    name: 'a day of the minutes is gone',
    because: 'a batch may be in the calls alone when the engine is killed',
    damage: () => store.command(`ALTER TABLE tool_minutes DROP PARTITION '${DAY}'`),
    differs: ['tool_minutes'],
  },
  {
    name: 'a day of the hours is gone',
    because: 'the views are written one after the other',
    damage: () => store.command(`ALTER TABLE tool_hours DROP PARTITION '${DAY}'`),
    differs: ['tool_hours'],
  },
  {
    name: 'a day of the days is gone',
    because: 'a week is read from them',
    damage: () => store.command(`ALTER TABLE tool_days DROP PARTITION '${DAY}'`),
    differs: ['tool_days'],
  },
  {
    name: 'the days count one client twice',
    because: 'a week of one client is read from them',
    damage: () =>
      store.command(`INSERT INTO client_days SELECT * FROM client_days WHERE day = '${DAY}' LIMIT 1`),
    differs: ['client_days'],
  },
  {
    name: 'a day of the failed calls is gone',
    because: 'failures of a tool are read from them',
    damage: () => store.command(`ALTER TABLE failed_calls DROP PARTITION '${DAY}'`),
    differs: ['failed_calls'],
  },
  {
    name: 'a day of the sessions is gone',
    because: 'the views are written one after the other',
    damage: () => store.command(`ALTER TABLE sessions DROP PARTITION '${DAY}'`),
    differs: ['sessions'],
  },
  {
    name: 'every rollup of a day is gone',
    because: 'none of them vouches for another',
    damage: async () => {
      for (const table of ROLLUPS) await store.command(`ALTER TABLE ${table} DROP PARTITION '${DAY}'`);
    },
    differs: ROLLUPS,
  },
  ...SIGHTING_TABLES.map(
    (table): DamageCase => ({
      name: `nothing of the day is in ${table}`,
      because: 'it has no days, and is filled after all the others',
      damage: () => store.command(`TRUNCATE TABLE ${table}`),
      differs: [table],
      repairedDays: [dayText(FIRST_DAY), DAY],
    }),
  ),
  {
    name: 'a tool was called before it is known to have been',
    because: 'what is there may be of a later batch only',
    damage: async () => {
      await store.command('TRUNCATE TABLE tool_usage');
      await store.command(
        `INSERT INTO tool_usage SELECT server_name, environment, tool_name, max(started_at), max(started_at) FROM calls
         WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required' GROUP BY ALL`,
      );
    },
    differs: ['tool_usage'],
    repairedDays: [dayText(FIRST_DAY), DAY],
  },
  {
    name: 'the minutes count a day twice',
    because: 'a view may take a block that its table has forgotten',
    damage: () =>
      store.command(`INSERT INTO tool_minutes SELECT * FROM tool_minutes WHERE toDate(bucket) = '${DAY}'`),
    differs: ['tool_minutes'],
  },
  {
    name: 'the hours count a day three times',
    because: 'one rollup that counts too much is wrong, however much it is',
    damage: async () => {
      await store.command(`CREATE TABLE kept AS tool_hours`);
      await store.command(`INSERT INTO kept SELECT * FROM tool_hours WHERE toDate(bucket) = '${DAY}'`);
      for (const at of [1, 2])
        await store.command(`INSERT INTO tool_hours SELECT * FROM kept WHERE ${at} > 0`);
      await store.command('DROP TABLE kept');
    },
    differs: ['tool_hours'],
  },
  {
    name: 'the sessions count one session twice',
    because: 'a session has no hour, and its day is compared',
    damage: () => store.command(`INSERT INTO sessions SELECT * FROM sessions WHERE day = '${DAY}' LIMIT 1`),
    differs: ['sessions'],
  },
  {
    name: 'one minute is missing',
    because: 'a part may be lost without its day',
    damage: () =>
      store.command(
        `DELETE FROM tool_minutes WHERE bucket = (SELECT max(bucket) FROM tool_minutes WHERE toDate(bucket) = '${DAY}')`,
      ),
    differs: ['tool_minutes'],
  },
  {
    name: 'a minute counts for another tool',
    because: 'sums alone would be equal',
    damage: async () => {
      await store.command('CREATE TABLE moved AS tool_minutes');
      const one = `toDate(bucket) = '${DAY}' AND tool_name = 'tool_03'`;
      await store.command(
        `INSERT INTO moved SELECT * REPLACE('tool_04' AS tool_name) FROM (SELECT * FROM tool_minutes WHERE ${one})`,
      );
      await store.command(`DELETE FROM tool_minutes WHERE ${one}`);
      await store.command('INSERT INTO tool_minutes SELECT * FROM moved');
      await store.command('DROP TABLE moved');
    },
    differs: ['tool_minutes'],
  },
  {
    name: 'calls came to another node again',
    because: 'the other node has never seen them, and a merge may not have met both rows yet',
    damage: () => insertRows(store, 'calls', another(SUCCESSFUL_ROWS.slice(0, 20))),
    differs: COUNTING_ROLLUPS,
    duplicates: 20,
  },
  {
    name: 'calls came to another node again, and were merged',
    because: 'the calls are right by then, and the rollups count them twice',
    damage: async () => {
      await insertRows(store, 'calls', another(SUCCESSFUL_ROWS.slice(0, 20)));
      await store.command(`OPTIMIZE TABLE calls PARTITION '${DAY}' FINAL`);
    },
    differs: COUNTING_ROLLUPS,
  },
  {
    name: 'calls came to another node by another way, which says that they began before midnight',
    because: 'each way has a clock and a first moment of its own',
    damage: () => {
      // The first of the day; taken after all the others.
      const copies = another(SUCCESSFUL_ROWS.slice(0, 20), {
        started_at: `${dayText(FIRST_DAY)} 23:59:59.999999`,
      });
      const later = { ingested_at: `${DAY} 23:00:00.000` };
      return insertRows(
        store,
        'calls',
        copies.map((row) => ({ ...row, ...later })),
      );
    },
    differs: COUNTING_ROLLUPS,
    duplicates: 20,
    repairedDays: [dayText(FIRST_DAY)],
  },
  {
    name: 'a call came to another node by another way',
    because: 'another sort key: no merge ever makes one row of the two',
    damage: () =>
      insertRows(
        store,
        'calls',
        another(SUCCESSFUL_ROWS.slice(0, 20), { client_name: 'other', server_name: 'renamed' }),
      ),
    differs: COUNTING_ROLLUPS,
    duplicates: 20,
  },
];

function daysOf({ days }: Reconciliation): string[] {
  return days.map(({ day, status }) => `${day} ${status}`);
}

const dropMinutes = (): Promise<void> => store.command(`ALTER TABLE tool_minutes DROP PARTITION '${DAY}'`);

async function countMinutes(): Promise<number> {
  const [row] = await store.query({
    sql: `SELECT sum(calls) AS n FROM tool_minutes WHERE toDate(bucket) = '${DAY}'`,
    row: z.object({ n: z.number() }),
  });
  return row?.n ?? 0;
}

/** Does what it is told, and then the process is gone. */
function killedAfter(steps: number): Store {
  let left = steps;
  return {
    ...store,
    async command(sql) {
      if (left > 0) await store.command(sql);
      left -= 1;
      if (left <= 0) throw new Error('killed');
    },
  };
}

// Requirement: figures.repair
describe('reconciliation', () => {
  test('a reconciliation of correct data finds no difference, and reports the range it checked', async () => {
    await insertRows(store, 'calls', ROWS);
    const done = await reconcile(portsOf());
    expect(done).toMatchObject({ result: 'equal', days: [] });
    expect(done.hours).toBe(new Set(ROWS.map((row) => row.started_at.slice(0, 13))).size);
    expect(await readRecords()).toMatchObject([{ result: 'equal', to_seq: SEQ, differences: {}, open: [] }]);
  });

  test.each(sampleCases(DAMAGES, 4))(
    'a reconciliation repairs the damage when $name, which can happen because $because',
    async ({ damage, differs, duplicates = 0, repairedDays = [DAY] }) => {
      await insertRows(store, 'calls', ROWS);
      await damage();
      const done = await reconcile(portsOf());
      expect(done.result).toBe('repaired');
      await expectRollupsCorrect();
      const [record] = await readRecords();
      expect(record).toMatchObject({
        result: 'repaired',
        repaired: repairedDays,
        duplicates_removed: duplicates,
      });
      expect(Object.keys(record?.differences ?? {}).sort()).toEqual([...differs].sort());
      expect((await readRollupCalls(store)).length).toBe(ROWS.length);
    },
  );

  test('a reconciliation checks only hours that received calls since the last one, however old they are', async () => {
    await insertRows(store, 'calls', ROWS);
    await reconcile(portsOf());
    await dropMinutes();
    expect(await reconcile(portsOf())).toMatchObject({ result: 'equal', hours: 0 });

    const [first] = of(DAY);
    const late = { ...first, span_id: 'fedcba9876543210', ingest_seq: SEQ + 1 };
    await insertRows(store, 'calls', [late]);
    const found = await reconcile(portsOf({ committedOffset: () => SEQ + 1 }));
    expect(found).toMatchObject({ result: 'repaired', hours: 1 });
    await expectRollupsCorrect();
    // The one in between looked at nothing, and is not worth a row.
    expect((await readRecords()).map(({ to_seq }) => to_seq)).toEqual([SEQ, SEQ + 1]);
  });

  test('a reconciliation does not check calls that may be only partly stored', async () => {
    await insertRows(store, 'calls', ROWS);
    await dropMinutes();
    const firstOfDay = ROWS.findIndex((row) => row.started_at.startsWith(DAY));
    expect(await reconcile(portsOf({ committedOffset: () => firstOfDay }))).toMatchObject({
      result: 'equal',
    });
    expect(await reconcile(portsOf())).toMatchObject({ result: 'repaired' });
  });

  test('a reconciliation checks again during a hold, and does not repair what was merely in flight', async () => {
    await insertRows(store, 'calls', ROWS);
    await store.command('CREATE TABLE on_its_way AS tool_minutes');
    await store.command(`INSERT INTO on_its_way SELECT * FROM tool_minutes WHERE toDate(bucket) = '${DAY}'`);
    await dropMinutes();
    const arrives = async (): Promise<() => void> => {
      await store.command('INSERT INTO tool_minutes SELECT * FROM on_its_way');
      return () => undefined;
    };
    expect(await reconcile(portsOf({ holdWrites: arrives }))).toMatchObject({ result: 'equal', days: [] });
    await store.command('DROP TABLE on_its_way');
  });

  test('a day whose calls have partly expired is not repaired, even if retention is extended later', async () => {
    await insertRows(store, 'calls', ROWS);
    await dropMinutes();
    const short = { rawDays: NOW / DAY_MS - (FIRST_DAY + 1.5), rollupDays: 395 };
    const done = await reconcile(portsOf({ retention: short }));
    expect(done.result).toBe('left');
    expect(done.days.find(({ day }) => day === DAY)).toMatchObject({
      status: 'left',
      reason: 'its calls have partly expired',
    });
    expect(await countMinutes()).toBe(0);

    await insertRows(store, 'calls', [{ ...of(DAY)[0], span_id: 'fedcba9876543210', ingest_seq: SEQ + 1 }]);
    const later = await reconcile(portsOf({ committedOffset: () => SEQ + 1 }));
    expect(daysOf(later)).toEqual([`${DAY} left`]);
    expect(await countMinutes()).toBe(1);
  });

  test('a day whose calls have all expired is not repaired, since its rollups would be lost too', async () => {
    await insertRows(store, 'calls', ROWS);
    const before = await countMinutes();
    await store.command(`DELETE FROM calls WHERE toDate(started_at) = '${DAY}' AND ingest_seq % 5 != 0`);
    const done = await reconcile(portsOf());
    expect(done).toMatchObject({ result: 'left', days: [{ day: DAY, status: 'left' }] });
    expect(await countMinutes()).toBe(before);
  });

  test('a reconciliation holds writes only for a repair, and releases them if the repair fails', async () => {
    let holds = 0;
    let releases = 0;
    const holdShipping = async (): Promise<() => void> => {
      holds += 1;
      return () => {
        releases += 1;
      };
    };
    await insertRows(store, 'calls', ROWS);
    await reconcile(portsOf({ holdWrites: holdShipping }));
    expect(holds).toBe(0);
    await store.command('TRUNCATE TABLE reconciliations');
    await dropMinutes();
    await expect(reconcile(portsOf({ holdWrites: holdShipping, store: killedAfter(1) }))).rejects.toThrow(
      'killed',
    );
    expect([holds, releases]).toEqual([1, 1]);
  });

  test('a reconciliation changes nothing once the service is closing', async () => {
    await insertRows(store, 'calls', ROWS);
    await dropMinutes();
    const ending = new AbortController();
    const holdShipping = async (): Promise<() => void> => {
      ending.abort();
      return () => undefined;
    };
    await expect(
      reconcile(portsOf({ holdWrites: holdShipping, signal: ending.signal })),
    ).rejects.toMatchObject({
      code: 'NOT_READY',
    });
    expect(await countMinutes()).toBe(0);
    expect(await readRecords()).toEqual([]);
  });

  const REBUILD_STEPS = [
    { steps: 1, because: 'the shadow of an earlier one is gone' },
    { steps: 2, because: 'there is an empty shadow' },
    { steps: 3, because: 'there is a full shadow beside the damaged day' },
    { steps: 4, because: 'the day is repaired, but not recorded as repaired' },
    { steps: 5, because: 'only the record is missing' },
  ];
  test.each(sampleCases(REBUILD_STEPS, 2))(
    'a rebuild killed after step $steps is completed by the next reconciliation: $because',
    async ({ steps }) => {
      await insertRows(store, 'calls', of(DAY));
      await dropMinutes();
      await expect(reconcile(portsOf({ store: killedAfter(steps) }))).rejects.toThrow('killed');
      expect(await readRecords()).toEqual([]);
      await reconcile(portsOf());
      await expectRollupsCorrect();
    },
  );

  const REMOVAL_STEPS = [
    { steps: 1, because: 'rows that a merge brings together are one, others not' },
    { steps: 2, because: 'the calls are right, and no rollup is' },
    { steps: 6, because: 'one rollup is right, and two are not' },
  ];
  test.each(sampleCases(REMOVAL_STEPS, 2))(
    'a removal of duplicates killed after step $steps is completed by the next reconciliation: $because',
    async ({ steps }) => {
      await insertRows(store, 'calls', of(DAY));
      await insertRows(store, 'calls', another(of(DAY).slice(0, 9)));
      await insertRows(store, 'calls', another(of(DAY).slice(20, 29), { server_name: 'renamed' }));
      await expect(reconcile(portsOf({ store: killedAfter(steps) }))).rejects.toThrow('killed');
      await reconcile(portsOf());
      await expectRollupsCorrect();
      expect((await readRollupCalls(store)).length).toBe(of(DAY).length);
    },
  );

  test('a repair that the store refused is tried again by the next reconciliation', async () => {
    await insertRows(store, 'calls', ROWS);
    await dropMinutes();
    const refusing: Store = {
      ...store,
      command: (sql) =>
        sql.includes('REPLACE PARTITION')
          ? Promise.reject(new UpstreamError('STORE_TIMEOUT', 'too slow', { retryable: true }))
          : store.command(sql),
    };
    expect(await reconcile(portsOf({ store: refusing }))).toMatchObject({ result: 'failed' });
    expect(await readRecords()).toMatchObject([{ result: 'failed', open: [DAY], to_seq: SEQ }]);
    expect(await reconcile(portsOf())).toMatchObject({ result: 'repaired', hours: 24 });
    await expectRollupsCorrect();
    expect((await readRecords()).at(-1)).toMatchObject({ open: [], repaired: [DAY] });
  });
});
