// How many spans a second the receiver and the journal acknowledge after the fsync, without an engine behind them. The
// sender has a process of its own; batches go to a sink that takes them at once, so segments are deleted as in life.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import pino from 'pino';
import { Registry } from 'prom-client';
import { createFingerprinter } from '../../src/core/values/fingerprint.ts';
import type { openIngest as OpenIngest } from '../../src/service/ingest/ingest.ts';

export interface IngestBenchOptions {
  readonly spans: number;
  readonly spansPerRequest: number;
  readonly connections: number;
  /** What is sent: our own spans as our delivery writes them, or a foreign SDK's. */
  readonly form: 'toolscope-json' | 'toolscope-json-gzip' | 'conventions-protobuf';
}

export interface IngestBench {
  readonly spansPerSecond: number;
  /** The same by the CPU time of this process, which a busy machine does not change. */
  readonly spansPerCpuSecond: number;
  /** As sent. */
  readonly bytesPerSpan: number;
  /** From the first byte of a request to the last of its answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Requests that had to come again. */
  readonly refused: number;
  /** Rows that reached the sink; as many as were acknowledged, or the figure is worth nothing. */
  readonly rows: number;
}

interface Report {
  readonly seconds: number;
  readonly refused: number;
  readonly acknowledged: number;
  readonly bytesPerSpan: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const BUILT = new URL('../../dist/service/ingest/ingest.js', import.meta.url).href;
// The module of the source, compiled: only what is built prepares bodies in a thread.
const { openIngest } = (await import(BUILT)) as { openIngest: typeof OpenIngest };
const KEY = Buffer.alloc(32, 1);
const SENDER = fileURLToPath(new URL('./ingest-sender.ts', import.meta.url));

/** Measures one form of request on a fresh journal in the system's temporary directory. */
export async function benchIngest(options: IngestBenchOptions): Promise<IngestBench> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'toolscope-bench-'));
  let rows = 0;
  const ingest = await openIngest({
    dataDirectory,
    sink: {
      async insert({ tables }) {
        for (const table of tables) rows += Buffer.from(table.rows).toString('latin1').split('\n').length - 1;
        return { status: 'stored' };
      },
    },
    findStoredCalls: async () => [],
    readRecentCallKeys: async () => [],
    redaction: { capture: 'shape', fingerprinter: createFingerprinter(KEY) },
    workerFingerprintKey: KEY,
    retentionDays: 30,
    registry: new Registry(),
    log: pino({ level: 'silent' }),
  });
  const server = express().use(ingest.receiver).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
    const before = process.cpuUsage();
    const report = await send({ ...options, url: `http://127.0.0.1:${address.port}/v1/traces` });
    await ingest.close();
    const { user, system } = process.cpuUsage(before);
    const { seconds, acknowledged, ...rest } = report;
    if (rows !== acknowledged) throw new Error(`${acknowledged} spans acknowledged, ${rows} rows shipped`);
    return {
      spansPerSecond: Math.round(acknowledged / seconds),
      spansPerCpuSecond: Math.round(acknowledged / ((user + system) / 1e6)),
      rows,
      ...rest,
    };
  } finally {
    await ingest.close(0);
    server.close();
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

function send(order: IngestBenchOptions & { readonly url: string }): Promise<Report> {
  const sender = fork(SENDER, [JSON.stringify(order)], { execArgv: ['--import', 'tsx'] });
  return new Promise((resolve, reject) => {
    // It sends one message, and that is a Report.
    sender.once('message', (report) => resolve(report as Report));
    sender.once('exit', (code) => reject(new Error(`The sender ended with ${code}.`)));
  });
}
