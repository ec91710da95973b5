// Schedules reconciliation: soon after the start, and some minutes after each run. Runs never overlap, and
// nothing is changed once the service is closing, because ingest then writes its remaining batches regardless
// of a hold.

import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';
import type { Reconciliation } from './reconcile.ts';

export interface ReconcileJobOptions {
  /** One check, in its turn with other upkeep. */
  readonly check: (signal: AbortSignal) => Promise<Reconciliation>;
  readonly clock: Clock;
  /** Called after each check that came to an end. MUST NOT throw. */
  readonly onDone: (done: Reconciliation) => void;
  /** Called when one did not. MUST NOT throw. */
  readonly onFailed: () => void;
  readonly log: Logger;
}

export interface ReconcileJob {
  /** The newest check of this process. */
  readonly last: Reconciliation | undefined;
  /** Ends it; waits at most five seconds for a check that is under way. */
  close(): Promise<void>;
}

/** After the start, what an earlier process left has most often been shipped by then. */
const FIRST_RUN_DELAY_MS = 5_000;
const RUN_INTERVAL_MS = 5 * 60_000;
const CLOSE_TIMEOUT_MS = 5_000;

export function startReconcileJob(options: ReconcileJobOptions): ReconcileJob {
  const { check, clock, onDone, onFailed, log } = options;
  const controller = new AbortController();
  let last: Reconciliation | undefined;
  let running: Promise<void> = Promise.resolve();
  let cancel = clock.schedule(FIRST_RUN_DELAY_MS, startRun);

  function startRun(): void {
    running = run();
  }

  async function run(): Promise<void> {
    try {
      last = await check(controller.signal);
      onDone(last);
      if (last.days.length > 0) log.warn({ result: last.result, days: last.days }, 'rollups were reconciled');
    } catch (error) {
      if (controller.signal.aborted) return;
      onFailed();
      log.warn({ err: error }, 'rollups could not be reconciled');
    }
    if (!controller.signal.aborted) cancel = clock.schedule(RUN_INTERVAL_MS, startRun);
  }

  return {
    get last() {
      return last;
    },
    async close() {
      controller.abort();
      cancel();
      let stopWaiting = (): void => undefined;
      const timeOver = new Promise<void>((resolve) => {
        stopWaiting = clock.schedule(CLOSE_TIMEOUT_MS, resolve);
      });
      await Promise.race([running, timeOver]);
      stopWaiting();
    },
  };
}
