// The end of a service whose engine hangs: it comes in time, with 0, and what was acknowledged is there at the next start.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cleanEnvironment, startCli } from '../cli/run-cli.ts';
import { measureCpuContention } from '../support/cpu-contention.ts';
import { createServiceFolder, removeServiceFolder } from '../support/in-process-service.ts';
import { toJson, toolCall } from './ingest/otlp-document.ts';

/** As `Service.close` states it. */
const MAX_SHUTDOWN_MS = 30_000;
const WAIT_LIMIT = { timeout: 100_000, interval: 50 };

function engineOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const engine = children.find((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('engine/child'),
  );
  if (engine === undefined) throw new Error('no engine');
  return Number(engine);
}

async function startUp(data: string, env: Record<string, string>) {
  const run = startCli(['up', '--port', '0', '--json', '--data-dir', data], env);
  await vi.waitFor(() => expect(run.said.stdout, run.said.stderr).toMatch(/\n$/), WAIT_LIMIT);
  const { url, pid }: { url: string; pid: number } = JSON.parse(run.said.stdout);
  return { run, url, pid };
}

describe('SIGTERM', () => {
  test('SIGTERM ends a service within the stated time even if its engine hangs, and no acknowledged call is lost', async () => {
    const folder = createServiceFolder();
    onTestFinished(() => removeServiceFolder(folder));
    const data = join(folder, 'data');
    const env = cleanEnvironment();
    const { run, url, pid } = await startUp(data, env);
    const engine = engineOf(pid);
    process.kill(engine, 'SIGSTOP');
    onTestFinished(() => {
      try {
        process.kill(engine, 'SIGKILL');
      } catch {
        // It has ended, as it should.
      }
    });
    const sent = await fetch(`${url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toJson([toolCall(1, Date.now() - 1000)]),
    });
    expect(sent.status).toBe(200);
    // A page that waits for an answer which does not come.
    const asking = fetch(`${url}/api/v1/tools`).catch(() => undefined);
    const busyBefore = measureCpuContention();
    const began = performance.now();
    run.child.kill('SIGTERM');
    const { code, stderr } = await run.ended;
    const tookMs = performance.now() - began;
    expect(code, stderr).toBe(0);
    // Most of it is waiting for what hangs, in full; the rest is work, which takes as long as others let it.
    expect(tookMs).toBeLessThan(MAX_SHUTDOWN_MS * Math.max(busyBefore, measureCpuContention()));
    await asking;
    await vi.waitFor(() => expect(() => process.kill(engine, 0)).toThrow(), WAIT_LIMIT);
    const again = await startUp(data, env);
    await vi.waitFor(async () => {
      const answer = await fetch(`${again.url}/api/v1/summary`);
      expect(await answer.json()).toMatchObject({ totals: { calls: 1 } });
    }, WAIT_LIMIT);
    again.run.child.kill('SIGTERM');
    expect((await again.run.ended).code).toBe(0);
  }, 360_000);
});
