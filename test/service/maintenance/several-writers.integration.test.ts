// Reconciling beside others that write: the ingest of this node, which can be held, and another node's, which cannot. A batch
// of the other one may be half there, and come again after its day was counted anew.

import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { UpstreamError } from '../../../src/errors.ts';
import { type ReconcilePorts, reconcile } from '../../../src/service/maintenance/reconcile.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type CallRow, createCallRows } from '../../support/dataset/call-rows.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import { computeRollups, readRollupCalls, readRollups } from '../../support/oracle/rollups.ts';

// Hundreds of statements a test: a busy machine may need minutes.
vi.setConfig({ testTimeout: 150_000 });

const DAY_MS = 86_400_000;
const NOW = Date.now();
const FIRST_DAY = Math.floor(NOW / DAY_MS) - 3;
const DAY = new Date(FIRST_DAY * DAY_MS).toISOString().slice(0, 10);
const seededRows = createCallRows({
  seed: 11,
  count: 300,
  fromUs: FIRST_DAY * DAY_MS * 1000,
  spanUs: DAY_MS * 1000,
});
const ROWS = seededRows.filter((row) => row.started_at.startsWith(DAY));

/** Rows of a node, numbered from 1. */
const numberRows = (rows: readonly CallRow[], node: string, atMs = NOW): CallRow[] =>
  rows.map((row, at) => ({
    ...row,
    ingest_node: node,
    ingest_seq: at + 1,
    ingested_at: new Date(atMs).toISOString().replace('T', ' ').replace('Z', ''),
  }));

const VIEWS = ['tool_minutes_from_calls', 'tool_hours_from_calls', 'sessions_from_calls'];

let started: TestEngine;
let store: Store;
let ticks = 0;

beforeAll(async () => {
  started = await startTestEngine();
  store = started.store;
});
afterAll(async () => {
  await started.stop();
});
beforeEach(async () => {
  for (const table of [
    'calls',
    'tool_minutes',
    'tool_hours',
    'tool_days',
    'client_days',
    'failed_calls',
    'sessions',
    'reconciliations',
  ])
    await store.command(`TRUNCATE TABLE ${table}`);
});

function portsOf(node: string, settled: number, changes: Partial<ReconcilePorts> = {}): ReconcilePorts {
  return {
    store,
    node,
    committedOffset: () => settled,
    holdWrites: async () => () => undefined,
    retention: { rawDays: 30, rollupDays: 395 },
    now: () => NOW + ++ticks,
    signal: new AbortController().signal,
    log: pino({ level: 'silent' }),
    ...changes,
  };
}

async function areRollupsCorrect(): Promise<boolean> {
  const is = await readRollups(store);
  return JSON.stringify(is) === JSON.stringify(computeRollups(await readRollupCalls(store)));
}

/** A batch whose calls are in the store and whose rollups are not: the engine was killed in between. */
async function insertHalf(rows: readonly CallRow[], token: string): Promise<void> {
  for (const view of VIEWS) await store.command(`DETACH TABLE ${view}`);
  await insertRows(store, 'calls', rows, token);
  for (const view of VIEWS) await store.command(`ATTACH TABLE ${view}`);
}

describe('reconciliation with another node', () => {
  const half = Math.floor(ROWS.length / 2);
  const ours = numberRows(ROWS.slice(0, half), 'node-a');
  const theirs = numberRows(ROWS.slice(half), 'node-b');

  test('a batch re-sent to another node is counted once, whichever node reconciles first', async () => {
    await insertRows(store, 'calls', ours);
    await insertRows(store, 'calls', numberRows(ROWS.slice(0, 10), 'node-b', NOW + 1_000));
    expect(await reconcile(portsOf('node-b', 10))).toMatchObject({ result: 'repaired' });
    expect(await reconcile(portsOf('node-a', half))).toMatchObject({ result: 'equal' });
    expect((await readRollupCalls(store)).length).toBe(half);
    expect(await areRollupsCorrect()).toBe(true);
  });

  test('a half-stored batch of another node is counted, and counted correctly after it is re-sent in full', async () => {
    await insertRows(store, 'calls', ours, 'a-1');
    await insertHalf(theirs, 'b-1');
    expect(await areRollupsCorrect()).toBe(false);
    // Our own calls are among those hours, so they are judged: the day is counted anew with the half that is there.
    expect(await reconcile(portsOf('node-a', half))).toMatchObject({ result: 'repaired' });
    expect(await areRollupsCorrect()).toBe(true);

    await insertRows(store, 'calls', theirs, 'b-1');
    const afterReplay = await areRollupsCorrect();
    const theirCheck = await reconcile(portsOf('node-b', theirs.length));
    expect(await areRollupsCorrect()).toBe(true);
    // The rollups have never seen that token: without the second check they would count the batch twice.
    expect(afterReplay).toBe(false);
    expect(theirCheck.result).toBe('repaired');
  });

  test('calls of a live node are reconciled by that node, and by others an hour after its last sign of life', async () => {
    const old = numberRows(ROWS.slice(half), 'node-b', NOW - 2 * 3_600_000);
    await insertRows(store, 'calls', old);
    await store.command(`ALTER TABLE sessions DROP PARTITION '${DAY}'`);
    const early = portsOf('node-a', 0, { now: () => NOW - 1.5 * 3_600_000 });
    expect(await reconcile(early)).toMatchObject({ result: 'equal', hours: 0 });
    expect(await reconcile(portsOf('node-a', 0))).toMatchObject({ result: 'repaired' });
    expect(await areRollupsCorrect()).toBe(true);
    expect(await reconcile(portsOf('node-a', 0))).toMatchObject({ result: 'equal', hours: 0 });

    // When it returns, it continues from its own last check: other nodes did not check its calls in flight.
    await store.command(`ALTER TABLE sessions DROP PARTITION '${DAY}'`);
    expect(await reconcile(portsOf('node-b', old.length))).toMatchObject({ result: 'repaired' });
    expect(await areRollupsCorrect()).toBe(true);
  });

  test('a day that another node writes to during a repair is checked again', async () => {
    await insertRows(store, 'calls', ours);
    await store.command(`ALTER TABLE sessions DROP PARTITION '${DAY}'`);
    const beside: Store = {
      ...store,
      async command(sql) {
        // After the day was read and before it is replaced: the other node cannot be held.
        if (sql.includes('REPLACE PARTITION')) await insertRows(store, 'calls', theirs);
        await store.command(sql);
      },
    };
    expect(await reconcile(portsOf('node-a', half, { store: beside }))).toMatchObject({
      result: 'failed',
      days: [{ day: DAY, status: 'open' }],
    });
    expect(await areRollupsCorrect()).toBe(false);
    expect(await reconcile(portsOf('node-a', half))).toMatchObject({ result: 'repaired' });
    expect(await areRollupsCorrect()).toBe(true);
  });
});

describe('reconciliation with concurrent ingest', () => {
  /** Ships row after row while it may; a hold waits for the row that is on its way. */
  function startShipping(rows: readonly CallRow[]) {
    let held = false;
    let onItsWay = Promise.resolve();
    let goOn = (): void => undefined;
    let shippedRows = 0;
    const done = (async () => {
      for (const row of rows) {
        while (held)
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
        onItsWay = insertRows(store, 'calls', [row]);
        await onItsWay;
        shippedRows += 1;
      }
    })();
    return {
      done,
      get shippedRows() {
        return shippedRows;
      },
      async hold() {
        held = true;
        await onItsWay;
        return () => {
          held = false;
          goOn();
        };
      },
    };
  }

  test('calls written before and after a hold are neither lost nor counted twice', async () => {
    const first = numberRows(ROWS.slice(0, 200), 'node-a');
    const later = numberRows(ROWS.slice(200, 212), 'node-a').map((row, at) => ({
      ...row,
      ingest_seq: 201 + at,
    }));
    await insertRows(store, 'calls', first);
    await store.command(`ALTER TABLE tool_hours DROP PARTITION '${DAY}'`);
    const shipping = startShipping(later);
    let shippedInHold = -1;
    const holdShipping = async (): Promise<() => void> => {
      const release = await shipping.hold();
      const before = shipping.shippedRows;
      return () => {
        shippedInHold = shipping.shippedRows - before;
        release();
      };
    };
    const done = await reconcile(portsOf('node-a', 200, { holdWrites: holdShipping }));
    await shipping.done;
    expect(done).toMatchObject({ result: 'repaired' });
    expect(shippedInHold).toBe(0);
    expect((await readRollupCalls(store)).length).toBe(ROWS.slice(0, 212).length);
    expect(await areRollupsCorrect()).toBe(true);
  });

  test('a rebuild interrupted by a killed engine is repaired by the next reconciliation', async () => {
    await insertRows(store, 'calls', numberRows(ROWS, 'node-a'));
    await store.command(`ALTER TABLE tool_minutes DROP PARTITION '${DAY}'`);
    const killing: Store = {
      ...store,
      async command(sql) {
        const work = store.command(sql);
        const pid = started.engine.pid();
        if (sql.startsWith('INSERT INTO rebuild_') && pid !== undefined) process.kill(pid, 'SIGKILL');
        await work;
      },
    };
    const ports = portsOf('node-a', ROWS.length, { store: killing });
    await reconcile(ports).then(
      ({ result }) => expect(['failed', 'repaired']).toContain(result),
      (error: unknown) => expect(error).toBeInstanceOf(UpstreamError),
    );
    // The engine comes back by itself, after seconds of work that others may hold up.
    await expect.poll(() => store.ping(), { timeout: 90_000 }).toBe(true);
    await reconcile(portsOf('node-a', ROWS.length));
    expect(await areRollupsCorrect()).toBe(true);
  });
});
