// Pauses writes to the store, with a time limit: while the store is unavailable no hold begins, and waiting for
// it would block all other maintenance.

import { UpstreamError } from '../../errors.ts';
import { type Clock, SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import { sleep } from '../jobs/sleep.ts';

export interface HoldOptions {
  /** Aborted when the service is closing. */
  readonly signal?: AbortSignal;
  readonly clock?: Pick<Clock, 'schedule'>;
}

/** By then, a batch that is retried is stored or quarantined, unless the store is unavailable. */
const HOLD_TIMEOUT_MS = 60_000;

/**
 * @returns a function that ends the hold
 * @throws UpstreamError STORE_UNAVAILABLE when the hold does not begin in time, NOT_READY when the service is closing
 */
export async function holdWrites(
  ingest: { holdWrites(): Promise<() => void> },
  { signal, clock = SYSTEM_CLOCK }: HoldOptions = {},
): Promise<() => void> {
  const wait = new AbortController();
  signal?.addEventListener('abort', () => wait.abort(), { signal: wait.signal });
  if (signal?.aborted) wait.abort();
  const holding = ingest.holdWrites();
  const release = await Promise.race([
    holding,
    sleep(HOLD_TIMEOUT_MS, { signal: wait.signal, clock }),
  ]).finally(() => wait.abort());
  if (release) return release;
  holding.then(
    (endHold) => endHold(),
    () => undefined,
  );
  throw signal?.aborted
    ? new UpstreamError('NOT_READY', 'The service is closing.', { retryable: true })
    : new UpstreamError('STORE_UNAVAILABLE', 'The store does not accept a pending batch.', {
        retryable: true,
      });
}
