// Backups that somebody changed: what they list is taken only where it is a plain file of the service's own, nothing in them
// is run, and a refusal comes before the first deletion.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BackupManifest } from '../../../src/contract/maintenance.ts';
import { restoreBackup } from '../../../src/service/composition/offline.ts';
import { openUnmigratedStore } from '../../../src/service/composition/open-store.ts';
import { readConfig } from '../../../src/service/config/read-config.ts';
import { findForeignEntry } from '../../../src/service/maintenance/check-store-backup.ts';
import {
  createServiceFolder,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { toolCall } from '../ingest/otlp-document.ts';

const folder = createServiceFolder();
const genuine = join(folder, 'genuine');
const log = pino({ level: 'silent' });
let copies = 0;

beforeAll(async () => {
  const running = await startInProcessService(folder);
  try {
    await running.send(Array.from({ length: 7 }, (_, n) => toolCall(n + 1, Date.now() - 60_000 + n)));
    await running.settled();
    const response = await running.control('backup', { directory: genuine });
    expect(response.status, await response.clone().text()).toBe(200);
  } finally {
    await running.close();
  }
}, 300_000);
afterAll(() => removeServiceFolder(folder));

const configOf = (data: string) =>
  readConfig({ flags: { dataDirectory: data }, environment: { HOME: folder } });

function restoreTo(data: string, from: string) {
  return restoreBackup(configOf(data), log, { directory: from, overwrite: true });
}

/** A copy of the genuine backup to be changed. */
function copyOf(): string {
  const copy = join(folder, `copy-${++copies}`);
  cpSync(genuine, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const readManifest = (backup: string): BackupManifest =>
  JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));

/** Lists files as the author of a manifest can: with the size and checksum that a reader finds. */
function list(backup: string, ...paths: readonly string[]): void {
  const manifest = readManifest(backup);
  const records = paths.map((path) => {
    const bytes = statSync(join(backup, path)).isFile() ? readFileSync(join(backup, path)) : Buffer.alloc(0);
    return { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
  const files = [...manifest.files.filter(({ path }) => !paths.includes(path)), ...records];
  writeFileSync(join(backup, 'manifest.json'), JSON.stringify({ ...manifest, files }));
}

function writeFixture(backup: string, path: string, text: string): void {
  mkdirSync(dirname(join(backup, path)), { recursive: true });
  writeFileSync(join(backup, path), text);
}

function editList(backup: string, edit: (text: string) => string): void {
  const path = 'store/.backup';
  writeFileSync(join(backup, path), edit(readFileSync(join(backup, path), 'utf8')));
  list(backup, path);
}

describe('restore of a hostile backup', () => {
  test.each<[string, (backup: string) => void, RegExp]>([
    [
      'a link among the files',
      (backup) => {
        symlinkSync('/etc/hostname', join(backup, 'service/journal/0000000000000009.seg'));
        list(backup, 'service/journal/0000000000000009.seg');
      },
      /0009\.seg" of the backup is a link or not a file/,
    ],
    [
      'a link among the directories',
      (backup) => {
        writeFixture(folder, 'elsewhere/a.json', '{}');
        rmSync(join(backup, 'service/quarantine'), { recursive: true, force: true });
        symlinkSync(join(folder, 'elsewhere'), join(backup, 'service/quarantine'));
        list(backup, 'service/quarantine/a.json');
      },
      /a\.json" of the backup is a link or not a file/,
    ],
    [
      'a link in the part of the store',
      (backup) => {
        const { files } = readManifest(backup);
        const data = files.find(({ path }) => path.endsWith('/data.bin'))?.path ?? '';
        rmSync(join(backup, data));
        symlinkSync('/etc/hostname', join(backup, data));
        list(backup, data);
      },
      /data\.bin" of the backup is a link or not a file/,
    ],
    [
      'a named pipe',
      (backup) => {
        execFileSync('mkfifo', [join(backup, 'service/journal/pipe')]);
        list(backup, 'service/journal/pipe');
      },
      /pipe" of the backup is a link or not a file/,
    ],
    ...[
      '../genuine/manifest.json',
      'service/../manifest.json',
      'service//journal/ingest-node',
      './manifest.json',
    ].map((path): [string, (backup: string) => void, RegExp] => [
      `the path ${path}`,
      (backup) => list(backup, path),
      /is not a path inside a backup/,
    ]),
    [
      'a file that is listed twice',
      (backup) => {
        const manifest = readManifest(backup);
        const files = [...manifest.files, ...manifest.files.slice(0, 1)];
        writeFileSync(join(backup, 'manifest.json'), JSON.stringify({ ...manifest, files }));
      },
      /is listed twice/,
    ],
    [
      'another backup to read from',
      (backup) =>
        editList(backup, (text) =>
          text.replace('<contents>', "<base_backup>S3('http://127.0.0.1:9/x')</base_backup><contents>"),
        ),
      /store\/\.backup .* it has the element base_backup/,
    ],
    [
      'a file outside the backup',
      (backup) =>
        editList(backup, (text) =>
          text.replace('</name>', '</name><data_file>../../../../../etc/hostname</data_file>'),
        ),
      /store\/\.backup .* it names the file "\.\.\/\.\./,
    ],
  ])('a backup with %s is refused before anything is deleted', async (_what, change, message) => {
    const backup = copyOf();
    change(backup);
    const data = join(folder, `target-${copies}`);
    writeFixture(data, 'journal/kept', 'what was here before');
    await expect(restoreTo(data, backup)).rejects.toMatchObject({
      code: 'INVALID_BACKUP',
      message: expect.stringMatching(message),
    });
    expect(readFileSync(join(data, 'journal/kept'), 'utf8')).toBe('what was here before');
    expect(existsSync(join(data, 'engine'))).toBe(false);
  });
});

test.each([
  ['<!DOCTYPE c [<!ENTITY e SYSTEM "file:///etc/hostname">]><config></config>', 'a document type'],
  ['<config><name>a&#47;..</name></config>', 'an entity'],
  ['<config><![CDATA[x]]></config>', 'unparsed text'],
  ['<config><name a="b">x</name></config>', 'an attribute'],
  ['<config><name>/etc/hostname</name></config>', 'an absolute path'],
  ['<config><name>a/../../b</name></config>', 'a way upwards'],
  ['<config><name>a\\..\\b</name></config>', 'the other slash'],
  ['', 'nothing at all'],
  ['hello', 'no list'],
])('a file list %j in a backup is refused because it has %s', (text) => {
  expect(findForeignEntry(text)).toEqual(expect.any(String));
});

describe('foreign parts of a backup', () => {
  const data = join(folder, 'clean');
  const asked: string[] = [];
  let stranger: Server;
  let notRestored: readonly string[];

  beforeAll(async () => {
    stranger = createServer((req, res) => {
      asked.push(req.url ?? '');
      res.end('1\n');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`; // listens on a port
    const backup = copyOf();
    const settings = ['service/toolscope.json', 'service/alerts.json', 'service/Toolscope.json'];
    const code = ['service/node_modules/chdb/index.js', 'service/package.json', 'service/engine/config.xml'];
    const others = ['service/control.json', 'service/service.lock.9', 'service/notes.txt'];
    for (const path of [...settings, ...code, ...others])
      writeFixture(backup, path, JSON.stringify({ clickhouseUrl: url }));
    list(backup, ...settings, ...code, ...others);
    // Listed nowhere.
    writeFixture(backup, 'service/journal/unlisted', 'x');
    writeFixture(backup, 'service/quarantine/unlisted.json', '{}');
    symlinkSync('/etc/hostname', join(backup, 'service/journal/unlisted-link'));
    spoilDefinitions(backup, url);
    writeFixture(data, 'toolscope.json', '{"retentionDays": 12}');
    writeFixture(data, 'quarantine/old.json', '{}');
    notRestored = (await restoreTo(data, backup)).notRestored;
  }, 300_000);
  afterAll(() => stranger.close());

  /** A table of ours that would be at an address, and one of nobody's. */
  function spoilDefinitions(backup: string, url: string): void {
    const ours = 'store/metadata/toolscope/alert_events.sql';
    const foreign = 'store/metadata/toolscope/foreign.sql';
    const size = statSync(join(backup, ours)).size;
    const engine = `ENGINE = URL('${url}/definition', 'CSV')`;
    writeFixture(backup, ours, `CREATE TABLE toolscope.alert_events (\`a\` String) ${engine}`.padEnd(size));
    writeFixture(backup, foreign, `CREATE TABLE toolscope.foreign (\`a\` String) ${engine}`);
    const entry = `<file><name>metadata/toolscope/foreign.sql</name><size>${statSync(join(backup, foreign)).size}</size><checksum>${'0'.repeat(32)}</checksum></file>`;
    editList(backup, (text) => text.replace('</contents>', `${entry}</contents>`));
    list(backup, ours, foreign);
  }

  test('foreign settings, code and files of a backup are not restored, and are named', () => {
    expect(notRestored).toEqual(
      expect.arrayContaining(['service/toolscope.json', 'service/alerts.json', 'service/control.json']),
    );
    expect(notRestored.length).toBe(9);
    const found = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('engine/') && !name.startsWith('service.lock'),
    );
    expect(found.filter((name) => /unlisted|node_modules|alerts\.json|control|notes|old/.test(name))).toEqual(
      [],
    );
  });

  test('a restore does not change the existing settings', () => {
    expect(readFileSync(join(data, 'toolscope.json'), 'utf8')).toBe('{"retentionDays": 12}');
  });

  test('a restore defines the tables as this package does, and no external address is contacted', async () => {
    const { store, close } = await openUnmigratedStore(configOf(data), log);
    try {
      const row = z.object({ name: z.string(), engine: z.string() });
      const sql = 'SELECT name, engine FROM system.tables WHERE database = currentDatabase()';
      const tables = await store.query({ sql, row });
      expect(tables.filter(({ engine }) => !/MergeTree$|^MaterializedView$|^Null$/.test(engine))).toEqual([]);
      expect(tables.map(({ name }) => name)).not.toContain('foreign');
      const count = z.object({ calls: z.coerce.number() });
      expect(await store.query({ sql: 'SELECT count() AS calls FROM calls', row: count })).toEqual([
        { calls: 7 },
      ]);
    } finally {
      await close();
    }
    expect(asked).toEqual([]);
  });
});

test('engine files that cannot be opened are put aside, and the backup is restored', async () => {
  const data = join(folder, 'damaged');
  await restoreTo(data, genuine);
  const definition = join(data, 'engine/clickhouse/metadata/toolscope.sql');
  appendFileSync(definition, 'no statement');
  const restored = await restoreTo(data, genuine);
  expect(restored.tables).toContainEqual({ table: 'calls', rows: 7 });
  const aside = readdirSync(data).filter((name) => name.startsWith('engine.damaged-'));
  expect(aside.length).toBe(1);
  expect(existsSync(join(data, aside[0] ?? '', 'clickhouse'))).toBe(true);
}, 300_000);
