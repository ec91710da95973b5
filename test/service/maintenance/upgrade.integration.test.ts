// A data directory of the last unreleased version, with its 31 migrations, opened by this version. The fixture was
// written by a real service; `0031.json` is what its API answered before it was closed.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Engine, startEngine } from '../../../src/service/engine/engine.ts';
import { migrate } from '../../../src/service/store/migrate.ts';
import { applyRetention } from '../../../src/service/store/retention.ts';
import { createStore, type Store } from '../../../src/service/store/store.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { toolCall } from '../ingest/otlp-document.ts';

const FIXTURE = fileURLToPath(new URL('../../fixtures/data-directory/0031', import.meta.url));
/** The fixture's calls must not grow too old, whenever the test runs. */
const LONG_RETENTION = { retentionDays: '3650', rollupRetentionDays: '3650', payloadRetentionDays: '3650' };

interface RecordedResponses {
  readonly fromMs: number;
  readonly toMs: number;
  readonly answers: Readonly<Record<string, object>>;
  /** Span id, tool, outcome, code, milliseconds. */
  readonly calls: readonly (readonly [string, string, string, string | null, number])[];
}

const recorded: RecordedResponses = JSON.parse(readFileSync(`${FIXTURE}.json`, 'utf8'));
const log = pino({ level: 'silent' });

function unpack(): string {
  const folder = createServiceFolder();
  execFileSync('tar', ['xzf', `${FIXTURE}.tar.gz`, '-C', folder]);
  return folder;
}

describe('data directory with the 31 migrations of an unreleased version', () => {
  const folder = unpack();
  let running: InProcessService;

  beforeAll(async () => {
    running = await startInProcessService(folder, LONG_RETENTION);
  }, 300_000);

  afterAll(async () => {
    await running.close();
    removeServiceFolder(folder);
  });

  test.each(Object.keys(recorded.answers))(
    'the response of %s after the upgrade has the recorded numbers',
    async (path) => {
      const joint = path.includes('?') ? '&' : '?';
      const answer = await running.ask(`${path}${joint}from=${recorded.fromMs}&to=${recorded.toMs}`);
      expect(answer).toMatchObject(recorded.answers[path] ?? {});
    },
  );

  test('every recorded call is unchanged after the upgrade', async () => {
    const { calls } = await running.ask<{ calls: { [name: string]: unknown }[] }>(
      `calls?limit=500&from=${recorded.fromMs}&to=${recorded.toMs}`,
    );
    const found = calls.map((call) => [call['spanId'], call['tool'], call['outcome'], call['durationMs']]);
    const expected = recorded.calls.map(([spanId, tool, outcome, , durationMs]) => [
      spanId,
      tool,
      outcome,
      durationMs,
    ]);
    expect(found.sort()).toEqual(expected.sort());
  });

  test('new calls are counted together with those from before the upgrade', async () => {
    await running.send([toolCall(900_001, Date.now() - 1000, { service: 'after-the-upgrade' })]);
    await running.settled();
    const { totals } = await running.ask<{ totals: { calls: number } }>(
      `summary?from=${recorded.fromMs}&to=now`,
    );
    expect(totals.calls).toBe(recorded.calls.length + 1);
  });
});

describe('replacing the 31 migrations', () => {
  const folder = unpack();
  let engine: Engine;
  const stores: Store[] = [];

  beforeAll(async () => {
    engine = await startEngine({ dataDirectory: join(folder, 'data'), log });
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await engine?.stop();
    removeServiceFolder(folder);
  });

  function openDatabase(database: string): Store {
    const { url, username, password } = engine;
    const store = createStore({ url, username, password, database, log });
    stores.push(store);
    return store;
  }

  /** The CREATE statement of each table and view, without the name of the database, its settings in one order. */
  async function readSchema(store: Store): Promise<Record<string, string>> {
    const rows = await store.query({
      sql: 'SELECT name, create_table_query AS statement FROM system.tables WHERE database = currentDatabase() ORDER BY name',
      row: z.object({ name: z.string(), statement: z.string() }),
    });
    return Object.fromEntries(
      rows.map(({ name, statement }) => {
        // Not in a text, where an attribute may start with the same word.
        const qualifier = new RegExp(`(?<!')\\b${store.database}\\.`, 'g');
        const [definition = '', settings = ''] = statement.replaceAll(qualifier, '').split(' SETTINGS ');
        return [name, `${definition} SETTINGS ${settings.split(', ').sort().join(', ')}`];
      }),
    );
  }

  /** @returns whether it was completed within so many statements */
  async function migrateUntil(store: Store, budget: number): Promise<boolean> {
    let left = budget;
    const killed = new Error('killed');
    const spend = <T>(work: () => Promise<T>): Promise<T> => {
      if (left === 0) return Promise.reject(killed);
      left -= 1;
      return work();
    };
    const mortal = {
      ...store,
      command: (sql: string) => spend(() => store.command(sql)),
      insert: (table: string, rows: Uint8Array, token: string) =>
        spend(() => store.insert(table, rows, token)),
    };
    try {
      await migrate(mortal);
      return true;
    } catch (error) {
      if (error !== killed) throw error;
      return false;
    }
  }

  const COUNTS = `SELECT (SELECT count() FROM calls FINAL) AS calls, (SELECT sum(calls) FROM tool_minutes) AS minutes,
    (SELECT sum(calls) FROM tool_hours) AS hours, (SELECT sum(calls) FROM tool_days) AS days,
    (SELECT sum(calls) FROM client_days) AS clients, (SELECT sum(requests) FROM sessions) AS sessions`;

  test('an upgrade killed at any step is completed by the next start, keeps all numbers and gives the current schema', async () => {
    const upgraded = openDatabase('toolscope');
    const fresh = openDatabase('fresh');
    // Each start gets one statement further than the one before it, and is killed there.
    let isComplete = false;
    for (let budget = 1; !isComplete && budget < 200; budget += 1)
      isComplete = await migrateUntil(upgraded, budget);
    expect(isComplete).toBe(true);
    expect(await migrate(upgraded)).toBe(0);
    const n = recorded.calls.length;
    expect(await upgraded.query({ sql: COUNTS, row: z.unknown() })).toEqual([
      { calls: n, minutes: n, hours: n, days: n, clients: n, sessions: n },
    ]);

    await migrate(fresh);
    const retention = { rawDays: 30, rollupDays: 395, payloadDays: 7, childSpanDays: 7, agentCallDays: 30 };
    for (const store of [upgraded, fresh]) await applyRetention(store, retention);
    const schema = await readSchema(fresh);
    expect(Object.keys(schema).length).toBeGreaterThan(30);
    expect(await readSchema(upgraded)).toEqual(schema);
  }, 300_000);
});
