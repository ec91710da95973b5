// Schedules the advice job: a few minutes after the start, then every hour, so that a fault is recorded
// before a deploy resolves it even if the page is never opened. Runs are skipped while the store is unavailable.

import type { Logger } from 'pino';
import type { Clock } from '../../../segment-log/clock.ts';
import { every, type Job } from '../../jobs/every.ts';
import type { AdviceJobResult } from './run-advice-job.ts';

export interface AdviceScheduleOptions {
  /** One run at `nowMs`; it stops soon after the signal is aborted. */
  readonly runJob: (nowMs: number, signal: AbortSignal) => Promise<AdviceJobResult>;
  readonly isStoreReachable: () => Promise<boolean>;
  readonly clock: Clock;
  /** Called after each run, whatever its result. MUST NOT throw. */
  readonly onRunEnded: (result: AdviceRunResult) => void;
  readonly log: Logger;
}

/** `partly`: some servers failed. `skipped`: the store was unavailable. */
export type AdviceRunResult = 'done' | 'partly' | 'failed' | 'skipped';

/** By then the calls of an earlier process are stored and the first page queries are answered. */
const FIRST_RUN_DELAY_MS = 2 * 60_000;
const RUN_INTERVAL_MS = 60 * 60_000;

/**
 * Starts the schedule. After `close`, a run in progress finishes its current server, or fails with the store, and
 * reports nothing more.
 */
export function scheduleAdviceJob(options: AdviceScheduleOptions): Job {
  const { clock, onRunEnded, log } = options;

  async function run(signal: AbortSignal): Promise<void> {
    const result = await tryRun(options, signal);
    if (signal.aborted) return;
    onRunEnded(result.result);
    if (result.result === 'done') log.debug(result, 'advice was looked for');
    else log.warn(result, 'advice could not be looked for everywhere; it is tried again in an hour');
  }

  return every(run, {
    firstDelayMs: FIRST_RUN_DELAY_MS,
    intervalMs: RUN_INTERVAL_MS,
    intervalFrom: 'start',
    clock,
  });
}

type AdviceRunOutcome = { readonly result: AdviceRunResult } & Partial<AdviceJobResult>;

async function tryRun(
  { runJob, isStoreReachable, clock }: AdviceScheduleOptions,
  signal: AbortSignal,
): Promise<AdviceRunOutcome> {
  try {
    if (!(await isStoreReachable())) return { result: 'skipped' };
    const finished = await runJob(clock.now(), signal);
    return { result: finished.failed > 0 ? 'partly' : 'done', ...finished };
  } catch {
    // The store's error message may contain values, so only the fact of the failure is logged.
    return { result: 'failed' };
  }
}
