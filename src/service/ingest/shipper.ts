// Takes sealed batches to the store, oldest first and one at a time. It never goes past a batch whose fate is unknown: the
// store remembers only so many tokens, and a batch that comes again after many others could count twice. It never gives
// up either.

import type { Logger } from 'pino';
import type { Clock } from '../../segments/clock.ts';
import type { BatchSink, InsertResult } from './batch-sink.ts';
import type { Batch, Journal } from './journal.ts';

export type ShippedAs = 'stored' | 'quarantined' | 'retried';

export interface ShipperOptions {
  readonly journal: Journal;
  readonly sink: BatchSink;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after each attempt. MUST NOT throw. */
  readonly onAttempt: (outcome: ShippedAs) => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

export class Shipper {
  readonly #options: ShipperOptions;
  #state: 'open' | 'draining' | 'stopped' = 'open';
  #running: Promise<void> | undefined;
  #failures = 0;
  #endPause: (() => void) | undefined;

  constructor(options: ShipperOptions) {
    this.#options = options;
  }

  /** Ships whatever is sealed; returns at once. To be called whenever something was sealed. */
  wake(): void {
    if (this.#state !== 'stopped') this.#running ??= this.#run();
  }

  /**
   * Ships what is sealed, until the first failure or until the time is over; the rest stays in the journal.
   * @param withinMs milliseconds
   */
  async stop(withinMs: number): Promise<void> {
    this.#state = 'draining';
    this.#endPause?.();
    this.wake();
    let cancel = (): void => undefined;
    const timeOver = new Promise<void>((resolve) => {
      cancel = this.#options.clock.schedule(withinMs, resolve);
    });
    await Promise.race([this.#running, timeOver]);
    cancel();
    this.#state = 'stopped';
  }

  async #run(): Promise<void> {
    // Appears asynchronous to whoever seals: nothing of it runs inside their call.
    await undefined;
    while (this.#state !== 'stopped' && this.#options.journal.hasBatch) {
      if (await this.#shipOldest()) this.#failures = 0;
      else if (this.#state === 'open') await this.#pause();
      else break;
    }
    // In the same turn as the last look at the journal: whoever seals after it starts the next run.
    this.#running = undefined;
  }

  /** @returns whether the oldest batch has left the journal */
  async #shipOldest(): Promise<boolean> {
    const { journal, log, onAttempt } = this.#options;
    try {
      const batch = await journal.oldestBatch();
      if (!batch) return true;
      const outcome = await this.#send(batch);
      onAttempt(outcome);
      return outcome !== 'retried';
    } catch (error) {
      log.error({ err: error }, 'batch could not be taken from the journal');
      return false;
    }
  }

  async #send(batch: Batch): Promise<ShippedAs> {
    const { journal, log } = this.#options;
    const result = await this.#insert(batch);
    const about = { segment: batch.segment.base, calls: batch.calls };
    switch (result.status) {
      case 'stored':
        await journal.drop(batch);
        return 'stored';
      case 'retryable':
        log.warn(
          { ...about, failures: this.#failures + 1, reason: result.reason },
          'store did not take a batch',
        );
        return 'retried';
      case 'refused':
        await journal.quarantine(batch, result.reason, result.refused);
        log.error({ ...about, reason: result.reason }, 'store refuses rows; they are in quarantine');
        return 'quarantined';
      default:
        return result satisfies never;
    }
  }

  async #insert(batch: Batch): Promise<InsertResult> {
    // Every record may have been damaged; there is nothing to insert then.
    if (batch.tables.length === 0) return { status: 'stored' };
    try {
      return await this.#options.sink.insert({ token: batch.token, tables: batch.tables });
    } catch (error) {
      this.#options.log.error({ err: error }, 'sink failed');
      return { status: 'retryable', reason: 'the sink failed' };
    }
  }

  #pause(): Promise<void> {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    return new Promise((resolve) => {
      const cancel = this.#options.clock.schedule(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
