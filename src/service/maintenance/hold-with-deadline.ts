// A hold with a time limit: while the store is unavailable no hold begins, and waiting for it would block all
// other maintenance. One that begins too late is ended at once.

import { UpstreamError } from '../../errors.ts';
import type { Clock } from '../../segment-log/clock.ts';

export interface HoldDeadline {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** @throws UpstreamError STORE_UNAVAILABLE when it does not begin in time, NOT_READY when the service ends */
export function holdWithDeadline(
  hold: () => Promise<() => void>,
  { withinMs, signal, clock }: HoldDeadline,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (outcome: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      cancel();
      signal.removeEventListener('abort', onAbort);
      outcome();
    };
    const onAbort = (): void =>
      settle(() => reject(new UpstreamError('NOT_READY', 'The service is ending.', { retryable: true })));
    const onTimeout = (): void =>
      settle(() =>
        reject(
          new UpstreamError('STORE_UNAVAILABLE', 'A batch is on its way to the store and does not arrive.', {
            retryable: true,
          }),
        ),
      );
    const cancel = clock.schedule(withinMs, onTimeout);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    hold().then(
      (release) => {
        if (isSettled) release();
        else settle(() => resolve(release));
      },
      (error) => settle(() => reject(error)),
    );
  });
}
