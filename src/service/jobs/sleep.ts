import { type Clock, SYSTEM_CLOCK } from '../../segment-log/clock.ts';

export interface SleepOptions {
  /** Aborted, it ends the wait at once. */
  readonly signal?: AbortSignal;
  readonly clock?: Pick<Clock, 'schedule'>;
}

/** Resolves after `ms` milliseconds, or when the signal is aborted. Never rejects. */
export function sleep(ms: number, { signal, clock = SYSTEM_CLOCK }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.schedule(ms, end);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}
