// The flood: far more spans than the store takes, for as long as told, against a service with a small journal. Meanwhile the
// dashboard's question is asked again and again and the service's memory is read; at the end what was acknowledged is counted.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { type Engine, startEngine } from '../../src/service/engine/engine.ts';
import { createStore } from '../../src/service/store/store.ts';
import { auditStore } from '../support/oracle/audit-store.ts';
import { pause, type RunningService, startService, waitUntilDrained } from '../support/service.ts';
import type { FloodOrder, FloodReport } from './flood-sender.ts';
import { type SlowStore, startSlowStore } from './slow-store.ts';

export interface FloodOptions {
  readonly seconds: number;
  /** What the store takes. */
  readonly rowsPerSecond: number;
  /** At which the journal is full; 64 MiB unless told. */
  readonly journalBytes?: number;
}

export interface FloodMeasurements {
  /** Spans offered for each that the store took while the flood went on. */
  readonly times: number;
  readonly offered: number;
  readonly acknowledged: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestRefusalMs: number;
  readonly refusalP99Ms: number;
  readonly slowestTakenMs: number;
  readonly heldUpMs: number;
  /** Requests answered 429 or 503. */
  readonly refused: number;
  /** Requests without any answer. */
  readonly unanswered: number;
  /** Refused requests by the service's own count. */
  readonly refusedByMetrics: number;
  readonly questions: number;
  readonly failedQuestions: number;
  readonly slowestQuestionMs: number;
  readonly largestMegabytes: number;
  readonly lost: number;
  readonly twice: number;
  readonly differences: readonly string[];
}

const SENDER = fileURLToPath(new URL('./flood-sender.ts', import.meta.url));
const SPANS_PER_REQUEST = 200;

export async function runFlood(options: FloodOptions): Promise<FloodMeasurements> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'toolscope-flood-'));
  const engine = await startEngine({ dataDirectory, log: pino({ level: 'silent' }) });
  const door = await startSlowStore({ ...engine, rowsPerSecond: options.rowsPerSecond });
  const service = await startService({
    environment: {
      CLICKHOUSE_URL: door.url,
      TOOLSCOPE_JOURNAL_MAX_BYTES: String(options.journalBytes ?? 64 << 20),
    },
  });
  try {
    return await measure({ engine, door, service }, options);
  } finally {
    await service.stop();
    await door.close();
    await engine.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

interface FloodTarget {
  readonly engine: Engine;
  readonly door: SlowStore;
  readonly service: RunningService;
}

async function measure(
  { engine, door, service }: FloodTarget,
  options: FloodOptions,
): Promise<FloodMeasurements> {
  const watch = watchService(service);
  const report = await send({
    url: `${service.base}/v1/traces`,
    seconds: options.seconds,
    connections: 32,
    requests: 200 + Math.ceil((options.seconds * options.rowsPerSecond + 120_000) / SPANS_PER_REQUEST),
    spansPerRequest: SPANS_PER_REQUEST,
  });
  const taken = door.rows;
  const watched = await watch.end();
  const refusedByMetrics = await readRefusals(service);
  door.open();
  await waitUntilDrained(service, { withinMs: 300_000 });
  await service.halt();
  const log = pino({ level: 'silent' });
  const store = createStore({ ...engine, database: 'toolscope', log });
  const counted = await auditStore(store);
  await store.close();
  const { spansOffered, acknowledged, ...answers } = report;
  return {
    ...answers,
    refused: (report.statuses[429] ?? 0) + (report.statuses[503] ?? 0),
    unanswered: report.statuses[0] ?? 0,
    times: spansOffered / Math.max(1, taken),
    offered: spansOffered,
    acknowledged: acknowledged.length * SPANS_PER_REQUEST,
    refusedByMetrics,
    ...watched,
    lost: acknowledged.flatMap(toTraceIds).filter((traceId) => !counted.traceIds.has(traceId)).length,
    twice: counted.twice.length,
    differences: counted.differences,
  };
}

const toTraceIds = (n: number): string[] =>
  Array.from({ length: SPANS_PER_REQUEST }, (_, at) => (n * 4_096 + at + 1).toString(16).padStart(32, '0'));

function send(order: FloodOrder): Promise<FloodReport> {
  const sender = fork(SENDER, [JSON.stringify(order)], { execArgv: ['--import', 'tsx'] });
  return new Promise((resolve, reject) => {
    // The sender says nothing else.
    sender.on('message', (message) => resolve(message as FloodReport));
    sender.once('exit', (code) => {
      if (code !== 0) reject(new Error(`The sender ended with ${code}.`));
    });
  });
}

/** Asks the tools page's question twice a second, and reads how much memory the service has. */
function watchService(service: RunningService) {
  let isOver = false;
  const measurements = { questions: 0, failedQuestions: 0, slowestQuestionMs: 0, largestMegabytes: 0 };
  const running = (async () => {
    while (!isOver) {
      const begun = performance.now();
      const isAnswered = await service.ask('tools').then(
        () => true,
        () => false,
      );
      measurements.questions += 1;
      measurements.failedQuestions += isAnswered ? 0 : 1;
      measurements.slowestQuestionMs = Math.max(measurements.slowestQuestionMs, performance.now() - begun);
      measurements.largestMegabytes = Math.max(measurements.largestMegabytes, rssMb(service.pid));
      await pause(500);
    }
  })();
  return {
    async end() {
      isOver = true;
      await running;
      return measurements;
    },
  };
}

function rssMb(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

async function readRefusals(service: RunningService): Promise<number> {
  const text = await (await fetch(`${service.base}/metrics`)).text();
  const lines = text
    .split('\n')
    .filter((line) => /^toolscope_ingest_requests_refused_total\{.*(429|503)/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
