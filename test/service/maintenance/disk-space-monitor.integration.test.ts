// The disk runs low: nothing more is taken, everything is still answered, and room alone makes it well again.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { type DiskSpace, DiskSpaceMonitor } from '../../../src/service/maintenance/disk-space-monitor.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { until } from '../../support/service.ts';
import { toJson, toolCall } from '../ingest/otlp-document.ts';

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
const log = pino({ level: 'silent' });

/** A clock whose one alarm the test rings. */
function createSingleTimerClock() {
  let timer: (() => void) | undefined;
  return {
    clock: {
      now: () => 0,
      schedule: (_ms: number, work: () => void) => {
        timer = work;
        return () => {
          timer = undefined;
        };
      },
    },
    get isSet() {
      return timer !== undefined;
    },
    ring(): void {
      const work = timer;
      timer = undefined;
      work?.();
    },
  };
}

async function startDiskWatch(space: () => DiskSpace, reserveBytes?: number) {
  const alarm = createSingleTimerClock();
  const readSpace = async () => space();
  const watch = await DiskSpaceMonitor.start({
    directory: '/',
    reserveBytes,
    clock: alarm.clock,
    log,
    readSpace,
  });
  const look = async () => {
    alarm.ring();
    await until(async () => (alarm.isSet ? true : undefined));
  };
  return { watch, look, alarm };
}

describe('DiskSpaceMonitor', () => {
  test.each<[number, number, number | undefined, 'yes' | 'no', string]>([
    [2 * GiB, 100 * GiB, undefined, 'yes', 'more than a gibibyte is left'],
    [GiB - 1, 100 * GiB, undefined, 'no', 'of a large disk a gibibyte is kept'],
    [250 * MiB, 10 * GiB, undefined, 'yes', 'of a small disk 2 % are kept, not a gibibyte'],
    [199 * MiB, 10 * GiB, undefined, 'no', 'less than 2 % are left'],
    [2 * MiB, 64 * MiB, undefined, 'yes', 'a tiny disk may be used too'],
    [4 * GiB, 100 * GiB, 5 * GiB, 'no', 'the setting says otherwise'],
    [0, 100 * GiB, 0, 'yes', 'a setting of nothing keeps nothing'],
  ])(
    'with %d of %d bytes free and a reserve of %s there is enough space: %s, because %s',
    async (freeBytes, totalBytes, reserve, status) => {
      const { watch } = await startDiskWatch(() => ({ freeBytes, totalBytes }), reserve);
      expect(watch.checkDiskSpace().status).toBe(status);
      watch.close();
    },
  );

  test('the monitor reports the space left and when to retry, and recovers by itself with a margin', async () => {
    let freeBytes = 99 * MiB;
    const { watch, look } = await startDiskWatch(() => ({ freeBytes, totalBytes: GiB }), 100 * MiB);
    expect(watch.checkDiskSpace()).toMatchObject({
      status: 'no',
      retryAfterSeconds: 10,
      reason: expect.stringMatching(/99 MiB.*100 MiB/),
    });
    freeBytes = 101 * MiB;
    await look();
    expect(watch.checkDiskSpace().status).toBe('no');
    freeBytes = 106 * MiB;
    await look();
    expect(watch.checkDiskSpace().status).toBe('yes');
    freeBytes = 101 * MiB;
    await look();
    expect(watch.checkDiskSpace().status).toBe('yes');
    watch.close();
  });

  test('the monitor keeps its last result while the disk cannot be checked, and goes on checking', async () => {
    let space: DiskSpace | undefined = { freeBytes: 1, totalBytes: GiB };
    const { watch, look } = await startDiskWatch(() => {
      if (!space) throw new Error('EIO');
      return space;
    });
    space = undefined;
    await look();
    expect(watch.checkDiskSpace().status).toBe('no');
    space = { freeBytes: GiB, totalBytes: GiB };
    await look();
    expect(watch.checkDiskSpace().status).toBe('yes');
    watch.close();
  });

  test('the monitor notifies no listener after it was closed', async () => {
    const { watch, alarm } = await startDiskWatch(() => ({ freeBytes: GiB, totalBytes: GiB }));
    watch.close();
    expect(alarm.isSet).toBe(false);
  });
});

/** @returns why no small disk can be made here, or undefined when one was mounted */
function mountTmpfs(path: string): string | undefined {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=0700', 'tmpfs', path], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('service on a small disk', () => {
  const folder = createServiceFolder();
  const refused = mountTmpfs(join(folder, 'data'));
  let running: InProcessService | undefined;

  afterEach(async () => {
    await running?.close();
    if (refused === undefined) execFileSync('umount', [join(folder, 'data')]);
    removeServiceFolder(folder);
  });

  test.skipIf(refused !== undefined)(
    `a nearly full disk makes the service refuse spans with 429, answer queries and recover by itself${refused ? ` (skipped: ${refused})` : ''}`,
    async () => {
      running = await startInProcessService(folder, { diskReserveBytes: '64MiB' });
      const { url } = running;
      const post = (n: number) =>
        fetch(`${url}/v1/traces`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: toJson([toolCall(n, Date.now() - 1000)]),
        });
      expect((await post(1)).status).toBe(200);
      await running.settled();
      const ballast = join(folder, 'data', 'ballast');
      writeFileSync(ballast, Buffer.alloc(200 * MiB));
      const full = await until(
        async () => {
          const response = await post(2);
          return response.status === 429 ? response : undefined;
        },
        { withinMs: 60_000 },
      );
      expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await full.text()).toMatch(/MiB left/);
      const readiness = await fetch(`${url}/readyz`);
      expect([readiness.status, await readiness.json()]).toEqual([503, { status: 'disk_low' }]);
      const summary = await running.ask<{ totals: { calls: number }; freshness: { notTaking?: string } }>(
        'summary',
      );
      expect(summary.totals.calls).toBeGreaterThan(0);
      expect(summary.freshness.notTaking).toMatch(/MiB left/);
      rmSync(ballast);
      await until(async () => ((await post(3)).status === 200 ? true : undefined), { withinMs: 60_000 });
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(await running.ask('summary')).not.toHaveProperty('freshness.notTaking');
    },
    300_000,
  );
});
