// What an open overview costs while calls arrive: the real service, the built dashboard in a real browser, and the CPU time of the
// service and of its engine, each as a share of one core. What the calls themselves cost is measured first, without a page.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { toSpan } from '../../src/core/dialects/toolscope-span.ts';
import { encodeTracesJson } from '../../src/core/otlp/encode-json.ts';
import { findBrowser, launchBrowser, openPage } from '../support/browser.ts';
import { listChildProcesses } from '../support/child-processes.ts';
import { freePort, until } from '../support/service.ts';
import { createObservedCall } from './observed-call.ts';
import { readCpuMs } from './process-cpu.ts';

export interface LiveBenchOptions {
  /** Each phase is measured for so long. */
  readonly seconds: number;
  readonly callsPerSecond: number;
  /** With the calls that are stored already; an empty one that goes away where it is left out. */
  readonly dataDirectory?: string | undefined;
  readonly say: (line: string) => void;
}

interface Phase {
  readonly name: string;
  /** Undefined without a page. */
  readonly path: string | undefined;
  readonly callsPerSecond: number;
}

/** What one phase took, in percent of one core, and what the page asked. */
export interface LiveMeasurement {
  readonly name: string;
  readonly servicePercent: number;
  readonly enginePercent: number;
  readonly requestsPerSecond: number;
  /** Requests per second by resource, most frequent first. */
  readonly resources: readonly (readonly [string, number])[];
}

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** As `observe()` sends them. */
const SEND_EVERY_MS = 500;
/** What starts with the service or with a page, such as compiling and the first load, is not measured. */
const SETTLE_MS = 15_000;

export async function benchLive(options: LiveBenchOptions): Promise<LiveMeasurement[]> {
  const { dataDirectory: kept, callsPerSecond, say } = options;
  const dataDirectory = kept ?? (await mkdtemp(join(tmpdir(), 'toolscope-bench-')));
  const service = await startService(dataDirectory);
  const browser = await launchBrowser(await findBrowser());
  const measured: LiveMeasurement[] = [];
  let base: LiveMeasurement | undefined;
  try {
    for (const phase of listPhases(callsPerSecond)) {
      const one = await measurePhase(phase, { ...options, service, browser });
      if (phase.path === undefined) base = one;
      say(formatPhase(one, phase.path === undefined ? undefined : base));
      measured.push(one);
    }
    return measured;
  } finally {
    await browser.close();
    await service.stop();
    if (kept === undefined) await rm(dataDirectory, { recursive: true, force: true });
  }
}

/** Pages come after the phase without a page that they are compared with. */
function listPhases(callsPerSecond: number): Phase[] {
  return [
    { name: 'no page', path: undefined, callsPerSecond },
    { name: 'overview 1h', path: '/?from=now-1h&to=now', callsPerSecond },
    { name: 'overview 24h', path: '/?from=now-24h&to=now', callsPerSecond },
    { name: 'overview 30d', path: '/?from=now-30d&to=now', callsPerSecond },
    { name: 'no page, no calls', path: undefined, callsPerSecond: 0 },
    { name: 'overview 24h, no calls', path: '/?from=now-24h&to=now', callsPerSecond: 0 },
  ];
}

interface ServiceProcess {
  readonly base: string;
  readonly pid: number;
  stop(): Promise<void>;
}

async function startService(dataDirectory: string): Promise<ServiceProcess> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [MAIN, 'up', '--port', String(port), '--data-dir', dataDirectory], {
    stdio: 'ignore',
    env: { ...process.env, TOOLSCOPE_LOG_LEVEL: 'error', XDG_STATE_HOME: join(dataDirectory, 'state') },
  });
  await until(async () => ((await fetch(`${base}/readyz`)).ok ? true : undefined));
  return { base, pid: child.pid ?? 0, stop: () => endProcess(child) };
}

function endProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.kill('SIGTERM');
  });
}

interface PhaseContext extends LiveBenchOptions {
  readonly service: ServiceProcess;
  readonly browser: Browser;
}

async function measurePhase(
  { name, path, callsPerSecond }: Phase,
  { service, browser, seconds }: PhaseContext,
): Promise<LiveMeasurement> {
  const sender = startSender(service.base, callsPerSecond);
  const opened = path === undefined ? undefined : await openPage(browser);
  try {
    await opened?.page.goto(service.base + path);
    await delay(SETTLE_MS);
    const requests = opened ? countRequests(opened.page) : new Map<string, number>();
    const before = readServiceCpu(service.pid);
    const startedMs = performance.now();
    await delay(seconds * 1_000);
    const elapsedMs = performance.now() - startedMs;
    const after = readServiceCpu(service.pid);
    const perSecond = [...requests]
      .map(([resource, count]) => [resource, count / (elapsedMs / 1_000)] as const)
      .sort((one, other) => other[1] - one[1]);
    return {
      name,
      servicePercent: ((after.serviceMs - before.serviceMs) / elapsedMs) * 100,
      enginePercent: ((after.engineMs - before.engineMs) / elapsedMs) * 100,
      requestsPerSecond: perSecond.reduce((sum, [, rate]) => sum + rate, 0),
      resources: perSecond,
    };
  } finally {
    await opened?.context.close();
    await sender.stop();
  }
}

function readServiceCpu(pid: number): { readonly serviceMs: number; readonly engineMs: number } {
  const engineMs = listChildProcesses(pid).reduce((sum, child) => sum + readCpuMs(child), 0);
  return { serviceMs: readCpuMs(pid), engineMs };
}

/** From now on, by the resource of the API. */
function countRequests(page: Page): Map<string, number> {
  const counts = new Map<string, number>();
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.startsWith('/api/v1/')) return;
    const metric = searchParams.get('metric');
    const resource = pathname.slice('/api/v1/'.length) + (metric === null ? '' : ` ${metric}`);
    counts.set(resource, (counts.get(resource) ?? 0) + 1);
  });
  return counts;
}

let sent = 0;

/** Sends what was called since the request before. */
function startSender(base: string, callsPerSecond: number): { stop(): Promise<void> } {
  const startedMs = performance.now();
  const firstOfAll = sent;
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1_000) * callsPerSecond) - (sent - firstOfAll);
    const calls = Array.from({ length: Math.max(0, due) }, (_, at) =>
      createObservedCall(FIRST_CALL + sent + at),
    );
    if (calls.length === 0) return;
    sent += calls.length;
    const body = encodeTracesJson(calls.map((call) => toSpan({ call })));
    last = last.then(() => send(base, body));
  }, SEND_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await last;
    },
  };
}

/** Calls of a run before, in a directory that is kept, have other numbers. */
const FIRST_CALL = Math.floor(Date.now() / 1_000) * 1_000;

async function send(base: string, body: string | Uint8Array): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${base}/v1/traces`, { method: 'POST', body: body as BodyInit, headers });
  if (!response.ok) throw new Error(`The service answered ${response.status} to calls.`);
}

function formatPhase(one: LiveMeasurement, base: LiveMeasurement | undefined): string {
  const { name, servicePercent, enginePercent, requestsPerSecond, resources } = one;
  const added = base && servicePercent + enginePercent - base.servicePercent - base.enginePercent;
  const most = resources.map(([resource, rate]) => `${resource} ${rate.toFixed(2)}`).join(', ');
  return (
    `  ${name.padEnd(24)} service ${servicePercent.toFixed(1).padStart(5)} %  engine ${enginePercent.toFixed(1).padStart(5)} %` +
    `${added === undefined ? '' : `  the page ${added.toFixed(1)} %`}  ${requestsPerSecond.toFixed(1)} requests a second${most && `: ${most}`}`
  );
}
