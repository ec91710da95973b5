// Connects the advice job to the queries, the log and the metrics.

import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../segment-log/clock.ts';
import { type AdviceJob, type AdviceRunResult, scheduleAdviceJob } from '../queries/advice/advice-job.ts';
import { runAdviceJob } from '../queries/advice/run-advice-job.ts';
import type { StoreReader, StoreWriter } from '../queries/query/query-context.ts';

export interface OpenAdviceJobOptions {
  /** Limited like people's questions, and in one line with them. */
  readonly reader: StoreReader;
  readonly writer: StoreWriter;
  readonly isStoreReachable: () => Promise<boolean>;
  /** How many days single calls are kept. */
  readonly rawDays: number;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly log: Logger;
}

export function openAdviceJob(options: OpenAdviceJobOptions): AdviceJob {
  const { reader, writer, isStoreReachable, rawDays, clock, registry, log } = options;
  const runs = new Counter<'result'>({
    name: 'toolscope_advice_rounds_total',
    help: 'Hourly looks for advice on every server, by what came of them.',
    labelNames: ['result'],
    registers: [registry],
  });
  let lastRunMs = 0;
  return scheduleAdviceJob({
    async runJob(nowMs, signal) {
      const round = await runAdviceJob({
        context: { store: reader, writer, nowMs, rawDays },
        signal,
        lastRunMs,
      });
      // Where some could not be looked at, the next round takes all of them again.
      if (round.failed === 0) lastRunMs = nowMs;
      return round;
    },
    isStoreReachable,
    clock,
    onRunEnded: (result: AdviceRunResult) => runs.inc({ result }),
    log,
  });
}
