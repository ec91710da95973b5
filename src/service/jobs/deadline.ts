// Ends work in bounded time: hanging work is abandoned. Acknowledged data is on disk by then, and the next
// process resumes.

import type { Logger } from 'pino';

export interface DeadlineOptions {
  /** For the log. */
  readonly what: string;
  readonly withinMs: number;
  readonly log: Logger;
}

/** Resolves when the work has ended, or when its time is over. Rejects as the work does, if it does so in time. */
export async function waitUntilDeadline(
  work: Promise<unknown>,
  { what, withinMs, log }: DeadlineOptions,
): Promise<void> {
  let cancel = (): void => undefined;
  const timeout = new Promise<'late'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), withinMs);
    cancel = () => clearTimeout(timer);
  });
  try {
    if ((await Promise.race([work, timeout])) === 'late')
      log.warn({ what, withinMs }, 'left behind at the end');
  } finally {
    cancel();
  }
  // The abandoned work must not cause an unhandled rejection.
  work.catch(() => undefined);
}
