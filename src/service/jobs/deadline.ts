// Waits for work in bounded time; work that hangs is abandoned.

import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';

export interface Deadline {
  readonly withinMs: number;
  /** By default a timer of Node, which keeps the process alive until then. */
  readonly clock?: Pick<Clock, 'schedule'>;
}

const NODE_TIMERS: Pick<Clock, 'schedule'> = {
  schedule(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** @returns the result of the work, or `late` when it has none in time; rejects as the work does, if it does so in time */
export async function withDeadline<T>(
  work: Promise<T>,
  { withinMs, clock = NODE_TIMERS }: Deadline,
): Promise<T | 'late'> {
  let cancel = (): void => undefined;
  const timeout = new Promise<'late'>((resolve) => {
    cancel = clock.schedule(withinMs, () => resolve('late'));
  });
  return Promise.race([work, timeout]).finally(cancel);
}

export interface LoggedDeadline extends Deadline {
  /** For the log. */
  readonly what: string;
  readonly log: Logger;
}

/** Resolves when the work has ended, or, with a warning, when its time is over. Rejects as `withDeadline` does. */
export async function waitUntilDeadline(
  work: Promise<unknown>,
  { what, log, ...deadline }: LoggedDeadline,
): Promise<void> {
  if ((await withDeadline(work, deadline)) === 'late')
    log.warn({ what, withinMs: deadline.withinMs }, 'did not end in time; it is abandoned');
}
