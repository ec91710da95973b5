// purge, backup and restore from the command line: with a service that holds the data directory, and without one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BackupResponse, PurgeReceipt } from '../../src/contract/maintenance.ts';
import { toolCall } from '../service/ingest/otlp-document.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';
import { cleanEnvironment, startCli } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = createServiceFolder();
const data = join(folder, 'data');
const copy = join(folder, 'copy');

const calls = (session: string, from: number, count: number) =>
  Array.from({ length: count }, (_, at) =>
    toolCall(from + at, Date.now() - 60_000 + at, {
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'search',
        'mcp.session.id': session,
      },
    }),
  );

const run = (...args: string[]) =>
  startCli(args, cleanEnvironment({ TOOLSCOPE_FINGERPRINT_KEY: 'key-of-this-test-only' })).ended;

let runningService: InProcessService | undefined;

beforeAll(async () => {
  runningService = await startInProcessService(folder);
  await runningService.send([
    ...calls('goes', 1, 5),
    ...calls('goes-later', 20, 4),
    ...calls('stays', 40, 3),
  ]);
  await runningService.settled();
}, 180_000);

afterAll(async () => {
  await runningService?.close();
  removeServiceFolder(folder);
});

const callsOf = ({ tables }: PurgeReceipt) => tables.find(({ table }) => table === 'calls')?.rows;

describe('maintenance commands while a service holds the data directory', () => {
  test('purge describes what it would delete and changes nothing', async () => {
    const { code, stdout, stderr } = await run('purge', '--data-dir', data, '--session', 'goes');
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/Would purge: one session id/);
    expect(stdout).toMatch(/calls\s+5\n/);
    expect(stderr).toContain('--yes');
  });

  test('purge --yes runs inside the service, which stays available', async () => {
    const { code, stdout, stderr } = await run(
      'purge',
      '--data-dir',
      data,
      '--session',
      'goes',
      '--yes',
      '--json',
    );
    expect(code, stderr).toBe(0);
    const receipt: PurgeReceipt = JSON.parse(stdout);
    expect([receipt.status, receipt.bytes, callsOf(receipt)]).toEqual(['purged', 'gone', 5]);
    const left = await runningService?.ask<{ totals: { calls: number } }>('summary');
    expect(left?.totals.calls).toBe(7);
  }, 180_000);

  test('backup runs inside the service', async () => {
    const { code, stdout, stderr } = await run('backup', copy, '--data-dir', data, '--json');
    expect(code, stderr).toBe(0);
    const answer: BackupResponse = JSON.parse(stdout);
    expect(answer.directory).toBe(copy);
    expect(JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'))).toMatchObject({ format: 1 });
  }, 180_000);

  test('restore is refused with the process that holds the directory', async () => {
    const { code, stderr } = await run('restore', copy, '--data-dir', data, '--overwrite');
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`Process ${process.pid} holds the data directory`));
  }, 180_000);
});

describe('maintenance commands without a service', () => {
  beforeAll(async () => {
    await runningService?.close();
    runningService = undefined;
  }, 180_000);

  test('purge deletes the rows itself', async () => {
    const { code, stdout, stderr } = await run(
      'purge',
      '--data-dir',
      data,
      '--session',
      'goes-later',
      '--yes',
      '--json',
    );
    expect(code, stderr).toBe(0);
    const receipt: PurgeReceipt = JSON.parse(stdout);
    expect([receipt.status, receipt.bytes, callsOf(receipt)]).toEqual(['purged', 'gone', 4]);
  }, 180_000);

  test('restore brings back the backup and refuses to overwrite other data', async () => {
    const refused = await run('restore', copy, '--data-dir', data);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('TARGET_NOT_EMPTY')]);
    const { code, stdout, stderr } = await run('restore', copy, '--data-dir', join(folder, 'new'), '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).tables).toContainEqual({ table: 'calls', rows: 7 });
  }, 180_000);

  test.each([
    [['purge', '--data-dir', data], /exactly one of/],
    [['purge', '--data-dir', data, '--before', 'soon'], /--before is invalid/],
    [['purge', '--data-dir', join(folder, 'nowhere'), '--session', 'x'], /does not exist/],
    [['restore', join(folder, 'nowhere'), '--data-dir', join(folder, 'other')], /INVALID_BACKUP/],
    [['backup'], /missing required argument/],
  ])('%j is refused with exit code 2 and a reason', async (args, reason) => {
    const { code, stdout, stderr } = await runInProcess(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(reason);
  });
});
