// A hold that is not waited for without end: while the store is away no hold begins, and whoever waits for it keeps all other
// upkeep waiting. One that begins too late is ended at once.

import { UpstreamError } from '../../errors.ts';
import type { Clock } from '../../segments/clock.ts';

export interface HoldWithin {
  readonly withinMs: number;
  readonly ending: AbortSignal;
  readonly clock: Clock;
}

/** @throws UpstreamError STORE_UNAVAILABLE when it does not begin in time, NOT_READY when the service ends */
export function holdWithin(
  hold: () => Promise<() => void>,
  { withinMs, ending, clock }: HoldWithin,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const settle = (outcome: () => void): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      ending.removeEventListener('abort', end);
      outcome();
    };
    const end = (): void =>
      settle(() => reject(new UpstreamError('NOT_READY', 'The service is ending.', { retryable: true })));
    const giveUp = (): void =>
      settle(() =>
        reject(
          new UpstreamError('STORE_UNAVAILABLE', 'A batch is on its way to the store and does not arrive.', {
            retryable: true,
          }),
        ),
      );
    const cancel = clock.schedule(withinMs, giveUp);
    ending.addEventListener('abort', end);
    if (ending.aborted) end();
    hold().then(
      (release) => {
        if (isOver) release();
        else settle(() => resolve(release));
      },
      (error) => settle(() => reject(error)),
    );
  });
}
