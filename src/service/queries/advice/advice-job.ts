// When advice is looked for: some minutes after the start, and then every hour, so that what a deploy mended was seen before it,
// whoever looked. Never twice at once, never while the store is away, and nobody waits for it when the service ends.

import type { Logger } from 'pino';
import type { Clock } from '../../../segment-log/clock.ts';
import type { AdviceJobResult } from './run-advice-job.ts';

export interface AdviceScheduleOptions {
  /** One round at `nowMs`; what is left of it ends soon after the signal. */
  readonly runJob: (nowMs: number, signal: AbortSignal) => Promise<AdviceJobResult>;
  readonly isStoreReachable: () => Promise<boolean>;
  readonly clock: Clock;
  /** Called after each hour, whatever came of it. MUST NOT throw. */
  readonly onRunEnded: (result: AdviceRunResult) => void;
  readonly log: Logger;
}

/** `partly`: some servers could not be looked at. `skipped`: the store was away. */
export type AdviceRunResult = 'done' | 'partly' | 'failed' | 'skipped';

export interface AdviceJob {
  /** Ends it at once. A round that is under way finishes its server, or fails with the store, and says nothing more. */
  close(): void;
}

/** By then an earlier process's calls are stored, and people's first questions answered. */
const FIRST_RUN_DELAY_MS = 2 * 60_000;
const RUN_INTERVAL_MS = 60 * 60_000;

/** Starts the rounds; they end with `close`. */
export function scheduleAdviceJob(options: AdviceScheduleOptions): AdviceJob {
  const { clock, onRunEnded, log } = options;
  const controller = new AbortController();
  let cancel = clock.schedule(FIRST_RUN_DELAY_MS, startRun);

  function startRun(): void {
    void run();
  }

  async function run(): Promise<void> {
    const startedMs = clock.now();
    const result = await tryRun(options, controller.signal);
    if (controller.signal.aborted) return;
    onRunEnded(result.result);
    if (result.result === 'done') log.debug(result, 'advice was looked for');
    else log.warn(result, 'advice could not be looked for everywhere; it is tried again in an hour');
    cancel = clock.schedule(Math.max(0, startedMs + RUN_INTERVAL_MS - clock.now()), startRun);
  }

  return {
    close() {
      controller.abort();
      cancel();
    },
  };
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
    // What the store says of a question may hold values; that it failed is all that is told.
    return { result: 'failed' };
  }
}
