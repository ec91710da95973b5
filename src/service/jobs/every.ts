// A repeating job: runs never overlap, and none begins after `close`.

import type { Clock } from '../../segment-log/clock.ts';
import { withDeadline } from './deadline.ts';

export interface JobOptions {
  readonly firstDelayMs: number;
  readonly intervalMs: number;
  /** What the interval is measured from: the end of the last run (default) or its start. */
  readonly intervalFrom?: 'end' | 'start';
  /** How long `close` waits for a run in progress; by default until it ends. */
  readonly closeTimeoutMs?: number;
  readonly clock: Clock;
}

export interface Job {
  /** Aborts the signal of a run in progress and waits for the run. */
  close(): Promise<void>;
}

/** Starts a repeating job. `run` MUST NOT reject. */
export function every(run: (signal: AbortSignal) => Promise<void>, options: JobOptions): Job {
  const { firstDelayMs, intervalMs, intervalFrom = 'end', closeTimeoutMs, clock } = options;
  const controller = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let cancel = clock.schedule(firstDelayMs, startRun);

  function startRun(): void {
    running = runAndSchedule();
  }

  async function runAndSchedule(): Promise<void> {
    const startedMs = clock.now();
    await run(controller.signal);
    if (controller.signal.aborted) return;
    const elapsedMs = intervalFrom === 'start' ? clock.now() - startedMs : 0;
    cancel = clock.schedule(Math.max(0, intervalMs - elapsedMs), startRun);
  }

  return {
    async close() {
      controller.abort();
      cancel();
      if (closeTimeoutMs === undefined) await running;
      else await withDeadline(running, { withinMs: closeTimeoutMs, clock });
    },
  };
}
