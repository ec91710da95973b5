// A restore into a ClickHouse server, where services with other data directories may be at work. The server is the engine's own
// HTTP interface: the same statements, but not a server.
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restoreBackup } from '../../../src/service/composition/offline.ts';
import { readConfig } from '../../../src/service/config/read-config.ts';
import { findStoreUsers, startHeartbeat } from '../../../src/service/store/store-heartbeat.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { toolCall } from '../ingest/otlp-document.ts';

const folder = createServiceFolder();
const elsewhere = createServiceFolder();
const copy = join(folder, 'copy');
const log = pino({ level: 'silent' });
let server: TestEngine;
let clickhouseUrl: string;
let runningService: InProcessService | undefined;

beforeAll(async () => {
  server = await startTestEngine();
  const { url, username, password } = server.engine;
  clickhouseUrl = url.replace('http://', `http://${username}:${password}@`);
  runningService = await startInProcessService(folder, { clickhouseUrl });
  await runningService.send([1, 2, 3].map((n) => toolCall(n, Date.now() - 60_000 + n)));
  await runningService.settled();
  const response = await runningService.control('backup', { directory: copy });
  expect(response.status, await response.clone().text()).toBe(200);
}, 180_000);

afterAll(async () => {
  await runningService?.close();
  await server?.stop();
  removeServiceFolder(folder);
  removeServiceFolder(elsewhere);
});

function restoreTo(data: string) {
  const config = readConfig({ flags: { dataDirectory: data, clickhouseUrl }, environment: { HOME: data } });
  return restoreBackup(config, log, { directory: copy, overwrite: true });
}

const calls = async () =>
  (await runningService?.ask<{ totals: { calls: number } }>('summary?from=now-2h'))?.totals.calls;

test('a restore to another data directory is refused while a service uses the database, and names the service', async () => {
  await expect(restoreTo(join(elsewhere, 'data'))).rejects.toMatchObject({
    code: 'STORE_IN_USE',
    message: expect.stringContaining(`process ${process.pid} on `),
  });
  expect(await calls()).toBe(3);
});

test('a restore to the data directory of a running service is refused', async () => {
  await expect(restoreTo(join(folder, 'data'))).rejects.toMatchObject({ code: 'DATA_DIRECTORY_LOCKED' });
  expect(await calls()).toBe(3);
});

test('a backup is restored after the service has ended, and then the database has no users', async () => {
  await runningService?.close();
  runningService = undefined;
  const restored = await restoreTo(join(elsewhere, 'data'));
  expect(restored.tables).toContainEqual({ table: 'calls', rows: 3 });
  expect(await findStoreUsers(server.store)).toEqual([]);
});

test('a user of the database counts while it sends heartbeats, and for a minute after it was killed', async () => {
  const clock = new FakeClock();
  const use = await startHeartbeat(server.store, { host: 'h', pid: 7, clock, log });
  expect(await findStoreUsers(server.store)).toEqual([{ host: 'h', pid: 7 }]);
  expect(clock.waiting).toEqual([15_000]);
  await clock.advance(15_000);
  await use.close();
  expect([await findStoreUsers(server.store), clock.waiting]).toEqual([[], []]);
  const seen = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1000).toISOString();
  await insertRows(server.store, 'store_users', [
    { id: 'a', host: 'lately', pid: 1, state: 'running', seen_at: seen(40).replace(/[TZ]/g, ' ').trim() },
    { id: 'b', host: 'long ago', pid: 2, state: 'running', seen_at: seen(80).replace(/[TZ]/g, ' ').trim() },
  ]);
  expect(await findStoreUsers(server.store)).toEqual([{ host: 'lately', pid: 1 }]);
});
