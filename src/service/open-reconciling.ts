// Ties reconciling to the ingest whose calls it waits for, the store, and what is said of it.

import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Pipeline } from '../contract/answers.ts';
import { SYSTEM_CLOCK } from '../segments/clock.ts';
import type { Config } from './config/settings.ts';
import type { Ingest } from './ingest/ingest.ts';
import { createReconcileMetrics } from './reconcile-metrics.ts';
import type { Shipped } from './shipped.ts';
import type { Store } from './store/store.ts';
import type { Turns } from './turns.ts';
import { holdWithin } from './upkeep/hold-within.ts';
import { countDifferences, reconcile } from './upkeep/reconcile.ts';
import { type ReconcileLoop, startReconciling } from './upkeep/reconcile-loop.ts';
import type { RetentionDays } from './upkeep/whole-days.ts';

export interface ReconcilingOptions {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly shipped: Shipped;
  readonly inTurn: Turns;
  readonly registry: Registry;
  readonly log: Logger;
}

/** A batch that is tried again and again is stored or put aside within this, or the store is away. */
const HOLD_MS = 60_000;

export function openReconciling(config: Config, options: ReconcilingOptions): ReconcileLoop {
  const { store, ingest, shipped, inTurn, registry, log } = options;
  const metrics = createReconcileMetrics(registry);
  return startReconciling({
    check: (ending) =>
      inTurn(() =>
        reconcile({
          store,
          node: ingest.node,
          settled: () => shipped.position,
          holdShipping: () =>
            holdWithin(() => ingest.holdShipping(), { withinMs: HOLD_MS, ending, clock: SYSTEM_CLOCK }),
          retention: toRetentionDays(config),
          now: Date.now,
          ending,
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
export async function readPipeline(ingest: Ingest, { last }: ReconcileLoop): Promise<Pipeline> {
  const { oldestPendingMs } = ingest;
  const dropped = await ingest.countDropped();
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
