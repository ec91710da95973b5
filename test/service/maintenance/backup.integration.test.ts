// A backup of a whole service, put back elsewhere: the same answers, the same node, numbers that go on, and nothing twice.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AdministrationResponse } from '../../../src/contract/administration.ts';
import type { BackupManifest, BackupResponse } from '../../../src/contract/maintenance.ts';
import { restoreBackup } from '../../../src/service/composition/offline.ts';
import { openUnmigratedStore } from '../../../src/service/composition/open-store.ts';
import { readConfig } from '../../../src/service/config/read-config.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { until } from '../../support/service.ts';
import { toolCall } from '../ingest/otlp-document.ts';

const folder = createServiceFolder();
const elsewhere = createServiceFolder();
const directory = join(folder, 'backups', 'one');
const NOW = Date.now() - 60_000;
const log = pino({ level: 'silent' });

interface BackupStats {
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly p95Ms: number }[];
}

const span = (n: number) =>
  toolCall(n, NOW + n * 10, {
    durationMs: n,
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': `tool-${n % 3}`,
      'mcp.session.id': `s${n % 7}`,
    },
  });
const spans = (from: number, count: number) => Array.from({ length: count }, (_, at) => span(from + at));

async function backUp(running: InProcessService, to: string): Promise<Response> {
  return running.control('backup', { directory: to });
}

const restoreTo = (data: string, from: string, overwrite = false) =>
  restoreBackup(readConfig({ flags: { dataDirectory: data }, environment: { HOME: data } }), log, {
    directory: from,
    overwrite,
  });

const readManifest = (): BackupManifest => JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
const tools = async (running: InProcessService) =>
  (await running.ask<BackupStats>('tools?from=now-2h')).tools;

let before: BackupStats['tools'];
let administration: AdministrationResponse;
let backupResponse: BackupResponse;

beforeAll(async () => {
  const running = await startInProcessService(folder);
  try {
    await running.send(spans(1, 120));
    await running.settled();
    before = await tools(running);
    // The follower notes how far it has read a moment after the calls are in the store.
    const position = join(running.dataDirectory, 'follower-position');
    await until(async () => (existsSync(position) ? true : undefined));
    const response = await backUp(running, directory);
    expect(response.status, await response.clone().text()).toBe(200);
    backupResponse = (await response.json()) as BackupResponse; // the contract of the route
    administration = await running.ask<AdministrationResponse>('administration');
    // After the backup, so not in it: their numbers are given again to others.
    await running.send(spans(121, 30));
    await running.settled();
    expect((await backUp(running, directory)).status).toBe(400);
    expect((await backUp(running, join(running.dataDirectory, 'inside'))).status).toBe(400);
  } finally {
    await running.close();
  }
}, 300_000);

afterAll(() => {
  removeServiceFolder(folder);
  removeServiceFolder(elsewhere);
});

describe('administration', () => {
  test('it has the rows of each table, the state of ingest, and the last backup', () => {
    const { tables, ingest, lastBackup, disk, store } = administration;
    const calls = tables.find(({ table }) => table === 'calls');
    expect(calls?.rows).toBe(120);
    expect(calls?.bytes).toBeGreaterThan(0);
    expect(ingest.pendingCalls).toBe(0);
    expect(ingest.notTaking).toBeNull();
    expect(lastBackup?.directory).toBe(directory);
    expect(disk.freeBytes).toBeGreaterThan(0);
    expect(store).toMatch(/^embedded/);
  });

  test('settings name their source, and a secret is neither in them nor anywhere else', () => {
    const rows = new Map(administration.settings.map((row) => [row.name, row]));
    expect(rows.get('port')).toMatchObject({ value: '0', source: 'flag', location: '--port' });
    expect(rows.get('host')).toMatchObject({ value: '127.0.0.1', source: 'default', location: '' });
    expect(rows.get('fingerprintKey')).toMatchObject({
      ...{ value: null, isSecret: true, isSet: true },
      ...{ source: 'environment', location: 'TOOLSCOPE_FINGERPRINT_KEY' },
    });
    expect(JSON.stringify(administration)).not.toContain('key-of-this-test-only');
  });
});

describe('backup', () => {
  test('a backup lists its contents and is readable by its user only', () => {
    expect(backupResponse).toMatchObject({ directory, engine: 'embedded' });
    expect(backupResponse.tables).toContainEqual({ table: 'calls', least: 120, most: 120 });
    expect(statSync(directory).mode & 0o077).toBe(0);
    const { files } = readManifest();
    expect(files.length).toBe(backupResponse.files);
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['service/journal/ingest-node', 'store/.backup', 'service/follower-position']),
    );
    expect(files.some(({ path }) => /lock|control/.test(path))).toBe(false);
  });

  test('a backup leaves no files behind in the directory of the engine', () => {
    expect(readdirSync(join(folder, 'data', 'engine', 'clickhouse', 'backups'))).toEqual([]);
  });
});

// Requirement: backup.restore
describe('restore', () => {
  test('a restored service gives the same responses, continues the numbering and counts repeated calls once', async () => {
    const restored = await restoreTo(join(elsewhere, 'data'), directory);
    expect(restored.tables).toContainEqual({ table: 'calls', rows: 120 });
    // Whatever the service keeps is known to a restore.
    expect(restored.notRestored).toEqual([]);
    expect(restored.ingestNode).toBe(readManifest().ingestNode);
    const running = await startInProcessService(elsewhere);
    try {
      expect(await tools(running)).toEqual(before);
      // The first 120 are in the backup; the producer sends them again together with 30 that it never heard of.
      await running.send(spans(1, 150));
      await running.settled();
      const sum = (await tools(running)).reduce((total, { calls }) => total + calls, 0);
      expect(sum).toBe(150);
    } finally {
      await running.close();
    }
    const journal = join(elsewhere, 'data', 'journal');
    expect(readFileSync(join(journal, 'ingest-node'), 'utf8').trim()).toBe(readManifest().ingestNode);
    // 30 new ones, behind all that the service may have given out after its backup: the empty segment's name says the next.
    expect(readdirSync(journal).filter((name) => name.endsWith('.seg'))).toEqual(['0000000000100151.seg']);
  }, 300_000);

  test('a restore includes calls that were acknowledged but not stored when the backup was made', async () => {
    const waiting = createServiceFolder();
    const target = createServiceFolder();
    const second = join(waiting, 'copy');
    const running = await startInProcessService(waiting);
    let sent = 5;
    try {
      await running.send(spans(1, sent));
      await running.settled();
      let isDone = false;
      const copying = backUp(running, second).finally(() => {
        isDone = true;
      });
      // From before the hold until after the copy, so some lie in the journal when it is copied.
      while (!isDone) await running.send(spans(++sent, 1));
      expect((await copying).status).toBe(200);
    } finally {
      await running.close();
    }
    const manifest: BackupManifest = JSON.parse(readFileSync(join(second, 'manifest.json'), 'utf8'));
    const inStore = manifest.tables.find(({ table }) => table === 'calls')?.most ?? 0;
    await restoreTo(join(target, 'data'), second);
    const again = await startInProcessService(target);
    try {
      await again.settled();
      const sum = async () => (await tools(again)).reduce((total, { calls }) => total + calls, 0);
      expect(await sum()).toBeGreaterThan(inStore);
      // Whatever was acknowledged before the copy is there once, and all of it once it comes again.
      await again.send(spans(1, sent));
      await again.settled();
      expect(await sum()).toBe(sent);
    } finally {
      await again.close();
      removeServiceFolder(waiting);
      removeServiceFolder(target);
    }
  }, 300_000);

  test('a restore keeps data beyond the default retention until a service sets its retention', async () => {
    const source = createServiceFolder();
    const target = join(createServiceFolder(), 'data');
    const copy = join(source, 'copy');
    const running = await startInProcessService(source, { retentionDays: '90' });
    try {
      await running.send([1, 2, 3].map((n) => toolCall(n, NOW - 60 * 86_400_000 + n)));
      await running.settled();
      expect((await backUp(running, copy)).status).toBe(200);
    } finally {
      await running.close();
    }
    await restoreTo(target, copy);
    const config = readConfig({ flags: { dataDirectory: target }, environment: { HOME: target } });
    const { store, close } = await openUnmigratedStore(config, log);
    try {
      await store.command('OPTIMIZE TABLE calls FINAL');
      const row = z.object({ calls: z.coerce.number(), definition: z.string() });
      const sql = `SELECT count() AS calls, (SELECT create_table_query FROM system.tables
                   WHERE database = currentDatabase() AND name = 'calls') AS definition FROM calls`;
      const [found] = await store.query({ sql, row });
      expect(found?.calls).toBe(3);
      // The engine goes by the TTL of each part as long as that is whole, and works it out anew where it is not.
      expect(found?.definition).not.toMatch(/\bTTL\b/);
    } finally {
      await close();
      removeServiceFolder(source);
      removeServiceFolder(dirname(target));
    }
  }, 300_000);

  test('a restore refuses a target that is not empty unless told to replace it', async () => {
    const data = join(elsewhere, 'data');
    await expect(restoreTo(data, directory)).rejects.toMatchObject({ code: 'TARGET_NOT_EMPTY' });
    await restoreTo(data, directory, true);
    const running = await startInProcessService(elsewhere);
    try {
      expect(await tools(running)).toEqual(before);
    } finally {
      await running.close();
    }
  }, 300_000);

  test('a backup of the last unreleased schema, whose tables are the same, is restored', async () => {
    const manifest = readFileSync(join(directory, 'manifest.json'));
    const { tables: counts, ...rest } = readManifest();
    const ledger = { table: 'schema_migrations', least: 31, most: 31 };
    const tables = counts.map((count) => (count.table === ledger.table ? ledger : count));
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify({ ...rest, tables, schemaVersion: 31 }));
    try {
      await restoreTo(join(elsewhere, 'data'), directory, true);
    } finally {
      writeFileSync(join(directory, 'manifest.json'), manifest);
    }
    const running = await startInProcessService(elsewhere);
    try {
      expect(await tools(running)).toEqual(before);
    } finally {
      await running.close();
    }
  }, 300_000);

  test.each([
    ['a newer schema', (m: BackupManifest) => ({ ...m, schemaVersion: 9_999 }), /schema 9999/],
    ['an incomplete unreleased schema', (m: BackupManifest) => ({ ...m, schemaVersion: 12 }), /schema 12,/],
    [
      'a server’s backup',
      (m: BackupManifest) => ({ ...m, engine: 'server', serverBackup: 'x' }),
      /--clickhouse-url/,
    ],
    ['no manifest of ours', () => ({ hello: 'world' }), /no manifest/],
    [
      'a file that is missing',
      (m: BackupManifest) => ({ ...m, files: [...m.files, { path: 'store/gone', bytes: 1, sha256: '' }] }),
      /store\/gone" of the backup is missing/,
    ],
    [
      'a file that was changed',
      (m: BackupManifest) => ({ ...m, files: m.files.map((file) => ({ ...file, sha256: '00' })) }),
      /damaged/,
    ],
  ])('a restore refuses %s before it changes the target', async (_what, change, message) => {
    const original = readFileSync(join(directory, 'manifest.json'));
    const target = join(elsewhere, 'untouched');
    mkdirSync(target, { recursive: true });
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify(change(readManifest())));
    try {
      await expect(restoreTo(target, directory, true)).rejects.toMatchObject({
        code: 'INVALID_BACKUP',
        message: expect.stringMatching(message),
      });
      // A socket that is dead stays of every lock.
      expect(readdirSync(target).filter((name) => !name.startsWith('service.lock'))).toEqual([]);
    } finally {
      writeFileSync(join(directory, 'manifest.json'), original);
    }
  });
});
