// Connects the reconcile job to ingest, the store, the log and the metrics.

import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { PipelineStatus } from '../../contract/responses.ts';
import { SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import type { Config } from '../config/settings.ts';
import type { CommittedOffset } from '../ingest/committed-offset.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Mutex } from '../jobs/mutex.ts';
import { holdWithDeadline } from '../maintenance/hold-with-deadline.ts';
import { countDifferences, reconcile } from '../maintenance/reconcile.ts';
import { type ReconcileJob, startReconcileJob } from '../maintenance/reconcile-job.ts';
import { createReconcileMetrics } from '../maintenance/reconcile-metrics.ts';
import type { RetentionDays } from '../maintenance/whole-days.ts';
import type { Store } from '../store/store.ts';

export interface OpenReconcileJobOptions {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly committedOffset: CommittedOffset;
  readonly runExclusive: Mutex;
  readonly registry: Registry;
  readonly log: Logger;
}

/** A batch that is tried again and again is stored or put aside within this, or the store is away. */
const HOLD_TIMEOUT_MS = 60_000;

export function openReconcileJob(config: Config, options: OpenReconcileJobOptions): ReconcileJob {
  const { store, ingest, committedOffset, runExclusive, registry, log } = options;
  const metrics = createReconcileMetrics(registry);
  return startReconcileJob({
    check: (signal) =>
      runExclusive(() =>
        reconcile({
          store,
          node: ingest.node,
          committedOffset: () => committedOffset.position,
          holdWrites: () =>
            holdWithDeadline(() => ingest.holdWrites(), {
              withinMs: HOLD_TIMEOUT_MS,
              signal,
              clock: SYSTEM_CLOCK,
            }),
          retention: toRetentionDays(config),
          now: Date.now,
          signal,
          log,
        }),
      ),
    clock: SYSTEM_CLOCK,
    onDone: (done) => metrics.countDone(done),
    onFailed: () => metrics.countFailed(),
    log,
  });
}

export function toRetentionDays({ retentionDays, rollupRetentionDays }: Config): RetentionDays {
  return { rawDays: retentionDays, rollupDays: rollupRetentionDays };
}

/** What the freshness strip shows. */
export async function readPipeline(ingest: Ingest, { last }: ReconcileJob): Promise<PipelineStatus> {
  const { oldestPendingMs } = ingest;
  const dropped = await ingest.countDroppedEntries();
  return {
    ingestLagMs: oldestPendingMs === undefined ? 0 : Math.max(0, Date.now() - oldestPendingMs),
    pendingBatches: ingest.pendingBatches,
    quarantineEntries: await ingest.countQuarantine(),
    ...(dropped > 0 && { quarantineDropped: dropped }),
    lastReconciliation: last
      ? {
          at: new Date(last.atMs).toISOString(),
          result: last.result,
          hours: last.hours,
          differences: Object.values(countDifferences(last)).reduce((sum, n) => sum + n, 0),
          repairedDays: last.days.filter(({ status }) => status === 'repaired').map(({ day }) => day),
        }
      : null,
  };
}
