// A purge against a whole service and a real engine: what was asked for is nowhere any more, everything else is where it was.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PurgeReceipt } from '../../../src/contract/maintenance.ts';
import { startEngine } from '../../../src/service/engine/engine.ts';
import { createStore, type Store } from '../../../src/service/store/store.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { listFilePaths, readFileIfPresent } from '../../support/list-files.ts';
import { until } from '../../support/service.ts';
import { type TestSpan, toolCall } from '../ingest/otlp-document.ts';

const folder = createServiceFolder();
const NOW = Date.now() - 60_000;
let runningService: InProcessService;

let next = 1;
function calls(
  session: string,
  count: number,
  more: { user?: string; startMs?: number; service?: string } = {},
) {
  return Array.from({ length: count }, (_, at): TestSpan => {
    const { user, startMs = NOW, service } = more;
    return toolCall(next++, startMs + at * 10, {
      ...(service && { service }),
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'search',
        'mcp.session.id': session,
        'gen_ai.tool.call.arguments': JSON.stringify({ query: 'the same question' }),
        'gen_ai.tool.call.result': JSON.stringify({ content: [{ type: 'text', text: 'nothing found' }] }),
        ...(user && { 'enduser.id': user }),
      },
    });
  });
}

/** A query that each of the calls made. */
const queriesOf = (parents: readonly TestSpan[]): TestSpan[] =>
  parents.map((parent) => ({
    ...{
      traceId: parent.traceId,
      parentSpanId: parent.spanId,
      startMs: parent.startMs,
      name: 'SELECT',
      kind: 3,
    },
    spanId: `c${parent.spanId.slice(1)}`,
    attributes: { 'db.system.name': 'postgresql' },
  }));

async function purge(body: object): Promise<PurgeReceipt> {
  const response = await runningService.control('purge', body);
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as PurgeReceipt; // the contract of the route
}

const sessionsNow = async (): Promise<Record<string, number>> => {
  const { sessions } = await runningService.ask<{ sessions: { sessionId: string; calls: number }[] }>(
    'sessions?from=now-7d&limit=100',
  );
  return Object.fromEntries(sessions.map(({ sessionId, calls }) => [sessionId, calls]));
};

const ALERTS = {
  rules: [{ id: 'long', kind: 'session_over_calls', calls: 30, notify: ['dashboard'] }],
};

beforeAll(async () => {
  mkdirSync(join(folder, 'data'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'data', 'alerts.json'), JSON.stringify(ALERTS));
  runningService = await startInProcessService(folder, { capture: 'full' });
  const traced = calls('secret-session-one', 40);
  await runningService.send([
    ...[...traced, ...queriesOf(traced)],
    ...calls('kept-session', 12),
    ...calls('user-session', 6, { user: 'anna@example.org' }),
    ...calls('shared-session', 4, { user: 'anna@example.org' }),
    ...calls('shared-session', 5, { user: 'bert@example.org', startMs: NOW + 1000 }),
    ...calls('number-session', 2, { user: '1234567890123456' }),
    ...calls('old-session', 7, { startMs: NOW - 3 * 86_400_000 }),
  ]);
  await runningService.settled();
  await until(
    async () => {
      const { loops } = await runningService.ask<{ loops: unknown[] }>('loops');
      const { events } = await runningService.ask<{ events: unknown[] }>('alerts/events');
      return loops.length > 0 && events.length > 0 ? true : undefined;
    },
    { withinMs: 90_000 },
  );
}, 300_000);

afterAll(async () => {
  await runningService.close();
  removeServiceFolder(folder);
});

describe('purge', () => {
  test('a purge without the control key of the service is refused', async () => {
    for (const key of ['', 'wrong']) {
      const response = await runningService.control(
        'purge',
        { session: 'kept-session' },
        { 'x-toolscope-control': key },
      );
      expect(response.status).toBe(403);
    }
  });

  test.each<[object, string]>([
    [{}, 'names nothing'],
    [{ session: 'a', user: 'b' }, 'names two things'],
    [{ before: 'yesterday' }, 'names no time'],
    [{ before: 'now-1d', server: 'notes' }, 'names a server without a session'],
  ])('a purge of %j is refused because it %s', async (body) => {
    const response = await runningService.control('purge', body);
    expect(response.status).toBe(400);
  });

  test('a purge only counts unless it is confirmed', async () => {
    const before = await sessionsNow();
    const receipt = await purge({ session: 'secret-session-one' });
    expect(receipt.status).toBe('counted');
    expect(receipt.bytes).toBe('untouched');
    expect(Object.fromEntries(receipt.tables.map(({ table, rows }) => [table, rows]))).toMatchObject({
      calls: 40,
      payloads: 40,
      child_spans: 40,
    });
    expect(await sessionsNow()).toEqual(before);
  });

  test('a purge removes a just acknowledged session of one server, and keeps one with the same id elsewhere', async () => {
    await runningService.send(calls('secret-session-one', 3, { service: 'other-server' }));
    const receipt = await purge({ session: 'secret-session-one', server: 'other-server', confirmed: true });
    expect(receipt.tables.find(({ table }) => table === 'calls')?.rows).toBe(3);
    expect(await sessionsNow()).toMatchObject({ 'secret-session-one': 40 });
  }, 300_000);

  test('a purge removes a session from every table, from the alerts and from every response', async () => {
    const receipt = await purge({ session: 'secret-session-one', confirmed: true });
    expect(receipt).toMatchObject({ status: 'purged', bytes: 'gone' });
    expect(receipt.alertRecords).toBeGreaterThan(0);
    expect(receipt.notReached.join()).toMatch(/spool.*backup/s);
    const sessions = await sessionsNow();
    expect(sessions).not.toHaveProperty('secret-session-one');
    expect(sessions).toMatchObject({ 'kept-session': 12 });
    const loops = await runningService.ask<{ loops: { sessionId: string }[] }>('loops?from=now-7d');
    expect(loops.loops.map(({ sessionId }) => sessionId)).not.toContain('secret-session-one');
    expect(JSON.stringify(await runningService.ask('alerts'))).not.toContain('secret-session-one');
  }, 300_000);

  test('a purge removes the calls of a user whose id looks like a hash', async () => {
    await purge({ user: '1234567890123456', confirmed: true });
    expect(await sessionsNow()).not.toHaveProperty('number-session');
  });

  test('a purge of a user removes that user’s calls, but not the sessions shared with other users', async () => {
    const receipt = await purge({ user: 'anna@example.org', confirmed: true });
    expect(receipt.tables.find(({ table }) => table === 'calls')?.rows).toBe(10);
    const sessions = await sessionsNow();
    expect(sessions).not.toHaveProperty('user-session');
    expect(sessions).toMatchObject({ 'shared-session': 5, 'kept-session': 12 });
  }, 300_000);

  test('a purge removes everything before a given time', async () => {
    const receipt = await purge({ before: 'now-1d', confirmed: true });
    expect(receipt.tables.find(({ table }) => table === 'calls')?.rows).toBe(7);
    const sessions = await sessionsNow();
    expect(sessions).not.toHaveProperty('old-session');
    expect(sessions).toMatchObject({ 'kept-session': 12 });
  }, 300_000);

  test('a purge keeps the calls that arrive after it', async () => {
    await runningService.send(calls('old-session', 2));
    await runningService.settled();
    expect(await sessionsNow()).toMatchObject({ 'old-session': 2 });
  });
});

// Requirement: privacy.purge
describe('purged data', () => {
  let store: Store;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    await runningService.close();
    const log = pino({ level: 'silent' });
    const engine = await startEngine({ dataDirectory: runningService.dataDirectory, log });
    store = createStore({ ...engine, database: 'toolscope', log });
    stop = async () => {
      await store.close();
      await engine.stop();
    };
  }, 300_000);

  afterAll(() => stop());

  test('purged data is in no text column of any table', async () => {
    const columns = await store.query({
      sql: `SELECT table, name, type FROM system.columns WHERE database = currentDatabase()
            AND (type LIKE '%String%') AND table NOT LIKE '%_from_%' AND table != 'tool_listings'`,
      row: z.object({ table: z.string(), name: z.string(), type: z.string() }),
    });
    expect(columns.length).toBeGreaterThan(60);
    const found = async (needle: string): Promise<string[]> => {
      const hits: string[] = [];
      for (const table of new Set(columns.map((column) => column.table))) {
        const texts = columns.filter(
          (column) => column.table === table && !column.type.includes('AggregateFunction(q'),
        );
        const like = texts.map(({ name }) => `toString(\`${name}\`) LIKE '%${needle}%'`).join(' OR ');
        const [row] = await store.query({
          sql: `SELECT count() AS rows FROM ${table} WHERE ${like}`,
          row: z.object({ rows: z.coerce.number() }),
        });
        if (row && row.rows > 0) hits.push(table);
      }
      return hits;
    };
    expect(await found('kept-session')).toContain('calls');
    for (const gone of ['secret-session-one', 'user-session']) expect(await found(gone)).toEqual([]);
  });

  test('purged data is neither in an inactive part nor in a part that only masks it', async () => {
    const parts = await store.query({
      sql: `SELECT table, name FROM system.parts WHERE database = currentDatabase()
            AND has_lightweight_delete`,
      row: z.object({ table: z.string(), name: z.string() }),
    });
    expect(parts).toEqual([]);
  });

  test('purged data is in no readable file of the data directory, including the logs of the deletion', () => {
    const files = listFilePaths(runningService.dataDirectory);
    expect(files.some((file) => /mutation_\d+\.txt$/.test(file))).toBe(true);
    for (const gone of ['secret-session-one', 'user-session', 'anna@example.org'])
      expect(files.filter((file) => readFileIfPresent(file).includes(gone))).toEqual([]);
  });
});
