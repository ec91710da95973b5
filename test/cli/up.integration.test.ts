import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { type CliRun, cleanEnvironment, startCli } from './run-cli.ts';

const ReadyMessage = z.object({ url: z.url(), port: z.int().positive(), pid: z.int().positive() });

/** For a machine with more to do than this. */
const WAIT_LIMIT = { timeout: 120_000, interval: 5 };

/** What `up --json` prints once it is ready; everything on stdout, so nothing else may be there. */
async function waitUntilReady(run: CliRun): Promise<z.infer<typeof ReadyMessage>> {
  await vi.waitFor(() => expect(run.said.stdout, run.said.stderr).toMatch(/\n$/), WAIT_LIMIT);
  return ReadyMessage.parse(JSON.parse(run.said.stdout));
}

/** The engine is the service's only child that runs chDB's entry. */
function engineOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const engine = children.find((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('engine/child'),
  );
  if (engine === undefined) throw new Error('no engine yet');
  return engine;
}

describe('toolscope up', { timeout: 180_000 }, () => {
  test('up prints its address, answers requests, and exits with 0 in time on SIGTERM', async () => {
    const run = startCli(['up', '--port', '0', '--json']);
    const { url, pid } = await waitUntilReady(run);
    expect(pid).toBe(run.child.pid);
    expect(run.said.stderr).toContain(`Dashboard   ${url}\n`);
    expect(run.said.stderr).toContain(`OTLP/HTTP   ${url}/v1/traces\n`);
    expect(run.said.stderr).toContain('observe(new McpServer(');
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' });
    const page = await fetch(`${url}/api/v1/stream`);
    const began = Date.now();
    run.child.kill('SIGTERM');
    const { code, signal } = await run.ended;
    expect([code, signal]).toEqual([0, null]);
    // As `Service.close` states it; the open page alone would hold it for ever.
    expect(Date.now() - began).toBeLessThan(30_000);
    await page.text();
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  });

  test('up exits at once on a second signal', async () => {
    const run = startCli(['up', '--port', '0', '--json']);
    const { url, port } = await waitUntilReady(run);
    // A request that never ends keeps the drain busy; the service says `Continue` when it has begun to answer it.
    const hanging = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void hanging.destroy());
    hanging.write(
      [
        ...['POST /v1/traces HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Type: application/json'],
        ...['Content-Length: 100', 'Expect: 100-continue', '', '{'],
      ].join('\r\n'),
    );
    const [begun] = await once(hanging, 'data');
    expect(String(begun)).toMatch(/^HTTP\/1\.1 100 /);
    run.child.kill('SIGINT');
    await vi.waitFor(async () => await expect(fetch(`${url}/healthz`)).rejects.toThrow(), WAIT_LIMIT);
    run.child.kill('SIGINT');
    const { code } = await run.ended;
    expect(code).toBe(130);
  });

  test('up that is stopped while it starts exits in time and ends the engine', async () => {
    const run = startCli(['up', '--port', '0', '--json']);
    const engine = await vi.waitFor(() => engineOf(run.child.pid ?? 0), WAIT_LIMIT);
    run.child.kill('SIGTERM');
    const { code, stdout } = await run.ended;
    expect([code, stdout]).toEqual([0, '']);
    await vi.waitFor(() => expect(existsSync(`/proc/${engine}`)).toBe(false), WAIT_LIMIT);
  });

  test('up names the process that already holds the port', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => holder.once('listening', resolve));
    onTestFinished(() => void holder.close());
    const address = holder.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { code, stdout, stderr } = await startCli(['up', '--port', String(port)]).ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`Port ${port} is in use by process ${process.pid} (`);
    expect(stderr).toContain('--port <number>');
  });

  test('up exits with 1 when the ClickHouse server refuses its credentials', async () => {
    const refusing = createHttpServer((_req, res) => {
      res.statusCode = 403;
      res.setHeader('X-ClickHouse-Exception-Code', '516');
      res.end('Code: 516. DB::Exception: default: Authentication failed (AUTHENTICATION_FAILED)');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => refusing.once('listening', resolve));
    onTestFinished(() => void refusing.close());
    const address = refusing.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const env = cleanEnvironment({ CLICKHOUSE_URL: `http://ann:hunter2@127.0.0.1:${port}` });
    const { code, stderr } = await startCli(['up', '--port', '0'], env).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/AUTHENTICATION_FAILED.*STORE_UNAVAILABLE/);
    expect(stderr).not.toContain('hunter2');
  });
});
