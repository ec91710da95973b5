// Metrics of the service as a whole: version, engine, store, disk, queries, advice. Other modules have their own.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Queries } from '../../contract/queries.ts';

export interface ServiceMetrics {
  countEngineRestart(): void;
  /** Returns the same queries, timed. */
  timeQueries(queries: Queries): Queries;
  /** Counts a run of the advice job by its result. */
  countAdviceRun(result: string): void;
  /** @param read returns the free bytes, or undefined if unknown */
  watchDisk(read: () => number | undefined): void;
  /** @param ping must resolve within seconds */
  watchStore(ping: () => Promise<boolean>): void;
  /** @param read returns when the rules in effect were read, and what is wrong with the file since then */
  watchAlertRules(read: () => AlertRulesStatus): void;
}

export interface AlertRulesStatus {
  /** Epoch milliseconds. */
  readonly loadedMs: number;
  readonly problem: string | null;
}

/** From a cached read to the time limit of a query. */
const QUERY_DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createServiceMetrics(registry: Registry, version: string): ServiceMetrics {
  const registers = [registry];
  const restarts = new Counter({
    name: 'toolscope_engine_restarts_total',
    help: 'Restarts of the embedded engine after it ended unexpectedly.',
    registers,
  });
  const queryDuration = new Histogram({
    name: 'toolscope_query_duration_seconds',
    help: 'Duration of queries, by name and outcome.',
    labelNames: ['query', 'outcome'],
    buckets: QUERY_DURATION_BUCKETS,
    registers,
  });
  const adviceRuns = new Counter({
    name: 'toolscope_advice_rounds_total',
    help: 'Runs of the hourly advice job, by result.',
    labelNames: ['result'],
    registers,
  });
  new Gauge({
    name: 'toolscope_build_info',
    help: 'The running version as a label; always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  return {
    countEngineRestart: () => restarts.inc(),
    timeQueries: (queries) => timeQueries(queries, queryDuration),
    countAdviceRun: (result) => adviceRuns.inc({ result }),
    watchDisk: (read) => watchDisk(read, registry),
    watchStore: (ping) => watchStore(ping, registry),
    watchAlertRules: (read) => watchAlertRules(read, registry),
  };
}

function timeQueries(queries: Queries, duration: Histogram<'query' | 'outcome'>): Queries {
  const timed = Object.entries<(request: never) => Promise<unknown>>(queries).map(([query, runQuery]) => [
    query,
    async (request: never) => {
      const stop = duration.startTimer({ query });
      try {
        const result = await runQuery(request);
        stop({ outcome: 'answered' });
        return result;
      } catch (error) {
        stop({ outcome: 'failed' });
        throw error;
      }
    },
  ]);
  // The same names, with functions of the same parameters and results.
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

/** Named like those of Prometheus' own configuration. */
function watchAlertRules(read: () => AlertRulesStatus, registry: Registry): void {
  new Gauge({
    name: 'toolscope_alert_rules_last_reload_successful',
    help: 'Whether the present text of the rules file is in effect: 1, or 0.',
    registers: [registry],
    collect() {
      this.set(read().problem === null ? 1 : 0);
    },
  });
  new Gauge({
    name: 'toolscope_alert_rules_last_reload_success_timestamp_seconds',
    help: 'When the alert rules in effect were read.',
    registers: [registry],
    collect() {
      this.set(read().loadedMs / 1_000);
    },
  });
}
