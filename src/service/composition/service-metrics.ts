// Service metrics other than those of ingest and API: engine, store, queries, disk.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Queries } from '../../contract/queries.ts';
import type { BatchSink } from '../ingest/batch-sink.ts';

export interface ServiceMetrics {
  countEngineRestart(): void;
  /** The same answers, each timed under its name. */
  timeQueries(queries: Queries): Queries;
  /** The same sink, each attempt timed by how it went. */
  timeInserts(sink: BatchSink): BatchSink;
  /** \n@param read bytes, or undefined if unknown */
  watchDisk(read: () => number | undefined): void;
  /** @param ping must answer within seconds */
  watchStore(ping: () => Promise<boolean>): void;
}

/** From a page out of memory to the longest that a question may take. */
const QUERY_DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From one call to ten thousand on a busy machine. */
const INSERT_DURATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createServiceMetrics(registry: Registry, version: string): ServiceMetrics {
  const registers = [registry];
  const restarts = new Counter({
    name: 'toolscope_engine_restarts_total',
    help: 'Times the embedded engine ended unexpectedly and was started again.',
    registers,
  });
  const queryDuration = new Histogram({
    name: 'toolscope_question_duration_seconds',
    help: 'Time to answer a question, by its name and whether it was answered.',
    labelNames: ['question', 'outcome'],
    buckets: QUERY_DURATION_BUCKETS,
    registers,
  });
  const insertDuration = new Histogram({
    name: 'toolscope_store_insert_duration_seconds',
    help: 'Time of one attempt to store a batch, by its outcome.',
    labelNames: ['outcome'],
    buckets: INSERT_DURATION_BUCKETS,
    registers,
  });
  new Gauge({
    name: 'toolscope_build_info',
    help: 'Which version runs; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  return {
    countEngineRestart: () => restarts.inc(),
    timeQueries: (queries) => timeQueries(queries, queryDuration),
    timeInserts: (sink) => ({
      async insert(batch) {
        const stop = insertDuration.startTimer();
        const result = await sink.insert(batch);
        stop({ outcome: result.status });
        return result;
      },
    }),
    watchDisk: (read) => watchDisk(read, registry),
    watchStore: (ping) => watchStore(ping, registry),
  };
}

function timeQueries(queries: Queries, duration: Histogram<'question' | 'outcome'>): Queries {
  const timed = Object.entries(queries).map(([query, runQuery]) => [
    query,
    async (...args: readonly unknown[]) => {
      const stop = duration.startTimer({ question: query });
      try {
        const result = await runQuery(...args);
        stop({ outcome: 'answered' });
        return result;
      } catch (error) {
        stop({ outcome: 'failed' });
        throw error;
      }
    },
  ]);
  // The same names with functions of the same parameters and answers.
  return Object.fromEntries(timed) as Queries;
}

function watchDisk(read: () => number | undefined, registry: Registry): void {
  new Gauge({
    name: 'toolscope_disk_free_bytes',
    help: 'Free space of the disk that the data directory is on.',
    registers: [registry],
    collect() {
      const bytes = read();
      if (bytes !== undefined) this.set(bytes);
    },
  });
}

function watchStore(ping: () => Promise<boolean>, registry: Registry): void {
  new Gauge({
    name: 'toolscope_store_reachable',
    help: 'Whether the store answers: 1, or 0.',
    registers: [registry],
    async collect() {
      this.set((await ping()) ? 1 : 0);
    },
  });
}
