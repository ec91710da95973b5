// What the whole service takes: `toolscope up` with its engine, and a sender in a process of its own that keeps a number of
// connections busy. A figure counts what can be queried, not only what was acknowledged; beside it stands what the engine takes of
// the same rows when nothing stands before it.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readLockHolder, toEngineFiles } from '../../src/service/engine/engine-files.ts';
import { pause, type RunningService, startService, waitUntilDrained } from '../support/service.ts';
import type { RawInserts } from './raw-inserts.ts';

/** Our own spans as our delivery writes them, or a foreign SDK's. */
export type IngestForm = 'toolscope-json' | 'toolscope-json-gzip' | 'conventions-protobuf';

export interface IngestLoad {
  readonly form: IngestForm;
  readonly connections: number;
  readonly spans: number;
  readonly spansPerRequest: number;
}

export interface IngestBench extends IngestLoad, SenderReport {
  /** Until the last span could be queried. */
  readonly spansPerSecond: number;
  /** Of the service's process and of the engine's, microseconds of all threads, until the last span could be queried. */
  readonly serviceCpuUs: number;
  readonly engineCpuUs: number;
  /** Resident sets at the end, in MB. */
  readonly serviceMb: number;
  readonly engineMb: number;
}

export interface SenderReport {
  /** Until the last request was acknowledged. */
  readonly acknowledgedPerSecond: number;
  /** Requests that had to come again. */
  readonly refused: number;
  /** As sent. */
  readonly bytesPerSpan: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** What the sender is told. */
export interface SenderOrder extends IngestLoad {
  readonly url: string;
  /** Number of the first span: each number is sent once. */
  readonly first: number;
}

const SENDER = fileURLToPath(new URL('./ingest-sender.ts', import.meta.url));
const RAW_INSERTS = fileURLToPath(new URL('./raw-inserts.ts', import.meta.url));
/** By then what a span runs through is compiled. */
const WARM_UP_SPANS = 6_000;
/** The processes' counters have this resolution: `getconf CLK_TCK` is 100 wherever Node.js runs. */
const US_PER_TICK = 10_000;
/** What is left of one load, such as merges and detection, has time (ms) to end before the next. */
const SETTLE_MS = 1_500;

/** Measures loads one after the other on one service, and then its engine alone with the same rows. */
export async function benchIngest(
  loads: readonly IngestLoad[],
  say: (result: IngestBench) => void,
): Promise<readonly RawInserts[]> {
  const service = await startService();
  try {
    let first = 1;
    for (const form of new Set(loads.map((load) => load.form))) {
      const warmUp = { form, connections: 8, spans: WARM_UP_SPANS, spansPerRequest: 64 };
      await measureLoad(service, warmUp, first);
      first += WARM_UP_SPANS;
      for (const load of loads) {
        if (load.form !== form) continue;
        say(await measureLoad(service, load, first));
        first += load.spans;
      }
    }
    await assertStored(service, first - 1);
    await service.halt();
    return await forked<readonly RawInserts[]>(RAW_INSERTS, service.dataDirectory);
  } finally {
    await service.stop();
  }
}

async function measureLoad(service: RunningService, load: IngestLoad, first: number): Promise<IngestBench> {
  await pause(SETTLE_MS);
  const engine = readLockHolder(toEngineFiles(service.dataDirectory))?.engine;
  if (engine === undefined) throw new Error('The service has no engine of its own.');
  const before = [readProcess(service.pid), readProcess(engine)] as const;
  const begun = performance.now();
  const order: SenderOrder = { ...load, url: `${service.base}/v1/traces`, first };
  const sent = await forked<SenderReport & { readonly startedAt: number }>(SENDER, JSON.stringify(order));
  await waitUntilDrained(service);
  // The sender makes its requests first.
  const seconds = (performance.timeOrigin + performance.now() - sent.startedAt) / 1_000;
  if (seconds * 1_000 > performance.now() - begun) throw new Error('The clocks of two processes differ.');
  const [own, engines] = [readProcess(service.pid), readProcess(engine)];
  return {
    ...load,
    ...sent,
    spansPerSecond: load.spans / seconds,
    serviceCpuUs: (own.cpuUs - before[0].cpuUs) / load.spans,
    engineCpuUs: (engines.cpuUs - before[1].cpuUs) / load.spans,
    serviceMb: own.residentMb,
    engineMb: engines.residentMb,
  };
}

/** Linux only, like the numbers that are compared. */
function readProcess(pid: number): { readonly cpuUs: number; readonly residentMb: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold spaces; utime and stime are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    cpuUs: (Number(fields[11]) + Number(fields[12])) * US_PER_TICK,
    residentMb: Number(resident) / 1_024,
  };
}

/** A rate of spans that are not all there is worth nothing. */
async function assertStored(service: RunningService, spans: number): Promise<void> {
  const { tools } = await service.ask<{ tools: { calls: number }[] }>('tools?from=now-1h');
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  if (calls !== spans) throw new Error(`${spans} spans acknowledged, ${calls} calls stored`);
}

function forked<Report>(path: string, argument: string): Promise<Report> {
  const child = fork(path, [argument], { execArgv: ['--import', 'tsx'] });
  return new Promise((resolve, reject) => {
    // It sends one message, and that is a Report.
    child.once('message', (report) => resolve(report as Report));
    child.once('exit', (code) => reject(new Error(`${path} ended with ${code}.`)));
  });
}
