// Schedules reconciliation: soon after the start, and some minutes after each run. Nothing is changed once the
// service is closing, because ingest then writes its remaining batches regardless of a hold.

import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';
import { every, type Job } from '../jobs/every.ts';
import type { Reconciliation } from './reconcile.ts';

export interface ReconcileJobOptions {
  /** One run, exclusive with other maintenance. */
  readonly check: (signal: AbortSignal) => Promise<Reconciliation>;
  readonly clock: Clock;
  /** Called after each completed run. MUST NOT throw. */
  readonly onDone: (done: Reconciliation) => void;
  /** Called after each failed run. MUST NOT throw. */
  readonly onFailed: () => void;
  readonly log: Logger;
}

export interface ReconcileJob extends Job {
  /** The newest reconciliation of this process. */
  readonly last: Reconciliation | undefined;
}

/** By then, the batches of an earlier process are usually stored. */
const FIRST_DELAY_MS = 5_000;
const INTERVAL_MS = 5 * 60_000;
const CLOSE_TIMEOUT_MS = 5_000;

export function startReconcileJob({
  check,
  clock,
  onDone,
  onFailed,
  log,
}: ReconcileJobOptions): ReconcileJob {
  let last: Reconciliation | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    try {
      last = await check(signal);
      onDone(last);
      if (last.days.length > 0) log.warn({ result: last.result, days: last.days }, 'rollups were reconciled');
    } catch (error) {
      if (signal.aborted) return;
      onFailed();
      log.warn({ err: error }, 'rollups could not be reconciled');
    }
  }

  const job = every(run, {
    firstDelayMs: FIRST_DELAY_MS,
    intervalMs: INTERVAL_MS,
    closeTimeoutMs: CLOSE_TIMEOUT_MS,
    clock,
  });
  return {
    get last() {
      return last;
    },
    close: job.close,
  };
}
