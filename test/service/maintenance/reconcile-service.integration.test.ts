// A whole service, started over rollups that were damaged while it was down: it finds that out by itself and says so.

import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import type { SummaryResponse } from '../../../src/contract/summary.ts';
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
let runningService: InProcessService | undefined;

afterAll(async () => {
  await runningService?.close();
  removeServiceFolder(folder);
});

const CALLS = 40;

async function sendCalls(): Promise<void> {
  const service = await startInProcessService(folder);
  const nowMs = Date.now();
  await service.send(Array.from({ length: CALLS }, (_, n) => toolCall(n + 1, nowMs - n * 1_000)));
  await service.settled();
  await service.close();
}

async function damage(dataDirectory: string): Promise<void> {
  const config = readConfig({ flags: { dataDirectory, port: '0' }, environment: { HOME: folder } });
  const { store, close } = await openUnmigratedStore(config, pino({ level: 'silent' }));
  for (const table of [
    'tool_minutes',
    'tool_hours',
    'tool_days',
    'client_days',
    'failed_calls',
    'sessions',
    'reconciliations',
  ])
    await store.command(`TRUNCATE TABLE ${table}`);
  await close();
}

test('rollups lost while the service was down are rebuilt and reported by its first check', async () => {
  await sendCalls();
  await damage(`${folder}/data`);
  runningService = await startInProcessService(folder);
  const { ask, url } = runningService;
  expect((await ask<SummaryResponse>('summary')).freshness.pipeline).toMatchObject({
    pendingBatches: 0,
    quarantineEntries: 0,
  });

  const checked = await until(
    async () => {
      const { freshness } = await ask<SummaryResponse>('summary');
      return freshness.pipeline?.lastReconciliation ?? undefined;
    },
    { withinMs: 60_000 },
  );
  expect(checked).toMatchObject({ result: 'repaired' });
  // Asked anew: an answer that tells of the check may have read its figures while that was at work.
  expect((await ask<SummaryResponse>('summary')).totals.calls).toBe(CALLS);

  // What it found is in the store a moment before it is counted.
  const metrics = await until(async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return /^toolscope_reconcile_runs_total\{result="repaired"\} 1$/m.test(text) ? text : undefined;
  });
  expect(metrics).toMatch(/^toolscope_reconcile_repairs_total\{table="tool_minutes"\} [12]$/m);
  const lastRun = /^toolscope_reconcile_last_run_timestamp_seconds (\S+)$/m.exec(metrics)?.[1];
  expect(Number(lastRun) * 1000).toBe(Date.parse(checked.at));
  // Calls that come afterwards are taken and shipped as before.
  await runningService.send([toolCall(CALLS + 1, Date.now())]);
  await runningService.settled();
  expect((await ask<SummaryResponse>('summary')).totals.calls).toBe(CALLS + 1);
}, 120_000);
