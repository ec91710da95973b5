// A data directory that an older version left, with schema 12, opened by this one. The fixture was written by a real service
// of that version; `0012.json` is what its API answered before it was closed.
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startEngine } from '../../../src/service/engine/engine.ts';
import { migrate, readMigrations } from '../../../src/service/store/migrate.ts';
import { createStore } from '../../../src/service/store/store.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { toolCall } from '../ingest/otlp-document.ts';

const FIXTURE = fileURLToPath(new URL('../../fixtures/data-directory/0012', import.meta.url));
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
  renameSync(join(folder, 'data-0012'), join(folder, 'data'));
  return folder;
}

describe('a data directory of schema 12', () => {
  const folder = unpack();
  let running: InProcessService;

  beforeAll(async () => {
    running = await startInProcessService(folder, LONG_RETENTION);
  }, 300_000);

  afterAll(async () => {
    await running.close();
    removeServiceFolder(folder);
  });

  test.each(Object.keys(recorded.answers))('answers %s with the numbers of then', async (path) => {
    const joint = path.includes('?') ? '&' : '?';
    const answer = await running.ask(`${path}${joint}from=${recorded.fromMs}&to=${recorded.toMs}`);
    expect(answer).toMatchObject(recorded.answers[path] ?? {});
  });

  test('has every call as it was', async () => {
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

  test('goes on: what is sent now is counted beside it', async () => {
    await running.send([toolCall(900_001, Date.now() - 1000, { service: 'after-the-upgrade' })]);
    await running.settled();
    const { totals } = await running.ask<{ totals: { calls: number } }>(
      `summary?from=${recorded.fromMs}&to=now`,
    );
    expect(totals.calls).toBe(recorded.calls.length + 1);
  });
});

describe('migrations that are killed half way', () => {
  test('are finished by the next start, wherever the kill came, and change no number', async () => {
    const folder = unpack();
    const engine = await startEngine({ dataDirectory: join(folder, 'data'), log });
    const store = createStore({ ...engine, database: 'toolscope', log });
    try {
      const all = await readMigrations();
      // Each start gets one statement further than the one before it, and is killed there.
      let isDone = false;
      for (let budget = 1; !isDone && budget < 500; budget += 1) isDone = await migrateUntil(budget);
      expect(isDone).toBe(true);
      const [newest] = await store.query({
        sql: 'SELECT max(version) AS version FROM schema_migrations',
        row: z.object({ version: z.number() }),
      });
      expect(newest?.version).toBe(all.at(-1)?.version);
      const [sums] = await store.query({
        sql: `SELECT (SELECT count() FROM calls FINAL) AS calls, (SELECT sum(calls) FROM tool_minutes) AS minutes,
              (SELECT sum(calls) FROM tool_hours) AS hours, (SELECT sum(requests) FROM sessions) AS sessions`,
        row: z.object({ calls: z.number(), minutes: z.number(), hours: z.number(), sessions: z.number() }),
      });
      const n = recorded.calls.length;
      expect(sums).toEqual({ calls: n, minutes: n, hours: n, sessions: n });
      const [endings] = await store.query({
        sql: `SELECT countIf(n > 0) AS sessions, countIf(n > 0 AND last > 0 AND slots > 0) AS known
              FROM (SELECT sum(calls) AS n, max(last_call) AS last, length(groupUniqArrayArray(active_slots)) AS slots
                    FROM sessions GROUP BY server_name, session_source, session_id)`,
        row: z.object({ sessions: z.number(), known: z.number() }),
      });
      expect(endings?.sessions).toBeGreaterThan(0);
      expect(endings?.known).toBe(endings?.sessions);
      const [names] = await store.query({
        sql: `SELECT uniqExact(clients, versions) AS kinds, sum(n) AS requests FROM (
                SELECT arraySort(groupUniqArrayArray(clients)) AS clients, arraySort(groupUniqArrayArray(versions)) AS versions, sum(requests) AS n
                FROM sessions GROUP BY identity_hash
                HAVING (identity_hash, clients, versions) NOT IN (
                  SELECT cityHash64(server_name, session_source, session_id) AS hash,
                    arraySort(groupUniqArray(toString(client_name))), arraySort(groupUniqArray(toString(server_version)))
                  FROM calls WHERE side = 'server' GROUP BY hash))`,
        row: z.object({ kinds: z.number(), requests: z.number() }),
      });
      expect(names).toEqual({ kinds: 0, requests: 0 });
    } finally {
      await store.close();
      await engine.stop();
      removeServiceFolder(folder);
    }

    async function migrateUntil(budget: number): Promise<boolean> {
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
  }, 300_000);
});
