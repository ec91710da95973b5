// Prometheus metrics of reconciliation. A repaired difference is worth an alert too, because something caused
// it.

import { Counter, Gauge, type Registry } from 'prom-client';
import { countDifferences, countDuplicates, type Reconciliation } from './reconcile.ts';

export interface ReconcileMetrics {
  countDone(done: Reconciliation): void;
  countFailed(): void;
}

export function createReconcileMetrics(registry: Registry): ReconcileMetrics {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter<L>({ name: `toolscope_reconcile_${name}`, help, labelNames, registers: [registry] });
  const runs = counter('runs_total', 'Checks of the rollups against the calls.', 'result');
  const hours = counter('hours_checked_total', 'Hours that were checked.');
  const differences = counter(
    'differences_total',
    'Hours of a rollup that differed; of sessions, days.',
    'table',
  );
  const repairs = counter('repairs_total', 'Days of a rollup that were counted anew.', 'table');
  const duplicates = counter(
    'duplicates_removed_total',
    'Calls that were stored twice and are not any more.',
  );
  const failures = counter('failures_total', 'Checks that the store did not let come to an end, and days.');
  const lastRun = new Gauge({
    name: 'toolscope_reconcile_last_run_timestamp_seconds',
    help: 'When the last check came to an end; 0 before the first.',
    registers: [registry],
  });
  return {
    countDone(done) {
      runs.inc({ result: done.result });
      hours.inc(done.hours);
      for (const [table, n] of Object.entries(countDifferences(done))) differences.inc({ table }, n);
      for (const table of done.days.flatMap(({ tables }) => tables)) repairs.inc({ table });
      duplicates.inc(countDuplicates(done));
      failures.inc(done.days.filter(({ status }) => status === 'failed').length);
      lastRun.set(done.atMs / 1000);
    },
    countFailed() {
      runs.inc({ result: 'failed' });
      failures.inc();
    },
  };
}
