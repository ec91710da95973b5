// What the service says of itself beside what the ingest and the API count: the engine, the store, the questions, the disk.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Questions } from './api/questions-port.ts';
import type { BatchSink } from './ingest/batch-sink.ts';

export interface ServiceMetrics {
  countEngineRestart(): void;
  /** The same answers, each timed under its name. */
  timeQuestions(questions: Questions): Questions;
  /** The same sink, each attempt timed by how it went. */
  timeInserts(sink: BatchSink): BatchSink;
  /** @param read bytes, or undefined when nobody knows */
  watchDisk(read: () => number | undefined): void;
  /** @param ask must answer within seconds */
  watchStore(ask: () => Promise<boolean>): void;
}

/** From a page out of memory to the longest that a question may take. */
const QUESTION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From one call to ten thousand on a busy machine. */
const INSERT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createServiceMetrics(registry: Registry, version: string): ServiceMetrics {
  const registers = [registry];
  const restarts = new Counter({
    name: 'toolscope_engine_restarts_total',
    help: 'Times the embedded engine ended unexpectedly and was started again.',
    registers,
  });
  const questions = new Histogram({
    name: 'toolscope_question_duration_seconds',
    help: 'Time to answer a question, by its name and whether it was answered.',
    labelNames: ['question', 'outcome'],
    buckets: QUESTION_SECONDS,
    registers,
  });
  const inserts = new Histogram({
    name: 'toolscope_store_insert_duration_seconds',
    help: 'Time of one attempt to store a batch, by its outcome.',
    labelNames: ['outcome'],
    buckets: INSERT_SECONDS,
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
    timeQuestions: (asked) => timeQuestions(asked, questions),
    timeInserts: (sink) => ({
      async insert(batch) {
        const stop = inserts.startTimer();
        const result = await sink.insert(batch);
        stop({ outcome: result.status });
        return result;
      },
    }),
    watchDisk: (read) => watchDisk(read, registry),
    watchStore: (ask) => watchStore(ask, registry),
  };
}

function timeQuestions(questions: Questions, duration: Histogram<'question' | 'outcome'>): Questions {
  const timed = Object.entries(questions).map(([question, ask]) => [
    question,
    async (...given: readonly unknown[]) => {
      const stop = duration.startTimer({ question });
      try {
        const answer = await ask(...given);
        stop({ outcome: 'answered' });
        return answer;
      } catch (error) {
        stop({ outcome: 'failed' });
        throw error;
      }
    },
  ]);
  // The same names with functions of the same parameters and answers.
  return Object.fromEntries(timed) as Questions;
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

function watchStore(ask: () => Promise<boolean>, registry: Registry): void {
  new Gauge({
    name: 'toolscope_store_reachable',
    help: 'Whether the store answers: 1, or 0.',
    registers: [registry],
    async collect() {
      this.set((await ask()) ? 1 : 0);
    },
  });
}
