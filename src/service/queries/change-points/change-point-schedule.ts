// Schedules the change-point job for each minute. Runs are skipped while the store is unavailable; the next one
// adds the minutes that were left out.

import type { Logger } from 'pino';
import type { Clock } from '../../../segment-log/clock.ts';
import { every, type Job } from '../../jobs/every.ts';

export interface ChangePointScheduleOptions {
  readonly run: (nowMs: number, signal: AbortSignal) => Promise<number>;
  readonly isStoreReachable: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** By then the first page queries are answered. */
const FIRST_RUN_DELAY_MS = 20_000;
const RUN_INTERVAL_MS = 60_000;

/** Starts the schedule. After `close`, a run in progress ends with its current hour. */
export function scheduleChangePointJob(options: ChangePointScheduleOptions): Job {
  const { run, isStoreReachable, clock, log } = options;

  async function tryRun(signal: AbortSignal): Promise<void> {
    try {
      if (!(await isStoreReachable())) return;
      const changes = await run(clock.now(), signal);
      if (changes > 0) log.info({ changes }, 'changes of level were found');
    } catch {
      // The store's error message may contain values, so only the fact of the failure is logged.
      if (!signal.aborted)
        log.warn('changes of level could not be looked for; it is tried again in a minute');
    }
  }

  return every(tryRun, {
    firstDelayMs: FIRST_RUN_DELAY_MS,
    intervalMs: RUN_INTERVAL_MS,
    intervalFrom: 'start',
    clock,
  });
}
