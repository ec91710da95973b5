// Writes sealed batches to the store, oldest first and one at a time. It never skips a batch with an unknown
// outcome: the store remembers a limited number of tokens, and a batch resent after many others could count
// twice. It retries without limit. A hold also waits for such a batch, which may be in a base table but not
// yet in its materialised views.

import type { Logger } from 'pino';
import { computeBackoffMs } from '../../core/values/backoff.ts';
import { UpstreamError } from '../../errors.ts';
import type { Clock } from '../../segment-log/clock.ts';
import { withDeadline } from '../jobs/deadline.ts';
import { sleep } from '../jobs/sleep.ts';
import type { BatchSink, InsertResult, RefusedRows } from './batch-sink.ts';
import { dropStoredCalls, type FindStoredCalls } from './drop-stored-calls.ts';
import type { JournalBatch, JournalBatches } from './journal-batches.ts';
import type { TableRows } from './journal-record.ts';

export type BatchOutcome = 'stored' | 'quarantined' | 'retried';

export interface BatchWriterOptions {
  readonly batches: JournalBatches;
  readonly sink: BatchSink;
  /** Used only for batches that the store may have although it no longer knows their token. */
  readonly findStoredCalls: FindStoredCalls;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after each attempt. MUST NOT throw. */
  readonly onAttempt: (outcome: BatchOutcome) => void;
  /** Called with the number of quarantined rows. MUST NOT throw. */
  readonly onQuarantined: (rows: number) => void;
  /** Called when a batch is stored, except for quarantined rows. MUST NOT throw. */
  readonly onStored?: (batch: Pick<JournalBatch, 'calls' | 'lastSequence'>) => void;
}

function toRefusedRows({ tables }: JournalBatch, reason: string): RefusedRows[] {
  return tables.map(({ table, rows }) => ({ table, rows, reason }));
}

/** A pending or active hold: nothing is written while it is active. */
interface Hold {
  readonly begin: () => void;
  readonly fail: () => void;
}

function toStoppingError(): UpstreamError {
  return new UpstreamError('NOT_READY', 'The service is ending; nothing can be held any more.', {
    retryable: false,
  });
}

const BACKOFF = { firstMs: 100, maxMs: 10_000 };

export class BatchWriter {
  readonly #options: BatchWriterOptions;
  #state: 'open' | 'draining' | 'stopped' = 'open';
  #running: Promise<void> | undefined;
  #failures = 0;
  #isWriting = false;
  /** Aborted to end a backoff. */
  readonly #stopping = new AbortController();
  /**
   * Whether the oldest batch may be in the store, in whole or in part; an earlier process may have tried it.
   */
  #mayBePartiallyStored: boolean;
  readonly #holds = new Set<Hold>();

  constructor(options: BatchWriterOptions) {
    this.#options = options;
    this.#mayBePartiallyStored = options.batches.count > 0;
  }

  /** Whether the store is writing a batch. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Starts writing sealed batches and returns at once. Must be called whenever a segment was sealed. */
  wake(): void {
    if (this.#state !== 'stopped') this.#running ??= this.#run();
  }

  /**
   * Pauses writes to the store. Resolves once no batch can be partially stored.
   *
   * @returns a function that ends the hold; calling it again has no effect, and stopping ends the hold too
   * @throws UpstreamError NOT_READY when the writer is stopped before the hold began
   */
  hold(): Promise<() => void> {
    if (this.#state !== 'open') return Promise.reject(toStoppingError());
    return new Promise((resolve, reject) => {
      const hold: Hold = {
        begin: () => resolve(() => this.#release(hold)),
        fail: () => reject(toStoppingError()),
      };
      this.#holds.add(hold);
      this.#beginHolds();
    });
  }

  #release(hold: Hold): void {
    this.#holds.delete(hold);
    this.wake();
  }

  #beginHolds(): void {
    if (!this.#mayBePartiallyStored) for (const hold of this.#holds) hold.begin();
  }

  /**
   * Writes sealed batches until the first failure or the deadline; the rest stays in the journal.
   *
   * @param withinMs milliseconds
   */
  async stop(withinMs: number): Promise<void> {
    this.#state = 'draining';
    // A hold that has begun cannot fail any more.
    for (const hold of this.#holds) hold.fail();
    this.#holds.clear();
    this.#stopping.abort();
    this.wake();
    await withDeadline(Promise.resolve(this.#running), { withinMs, clock: this.#options.clock });
    this.#state = 'stopped';
  }

  async #run(): Promise<void> {
    // Always asynchronous, so that nothing runs inside the caller that sealed.
    await undefined;
    while (this.#state !== 'stopped' && this.#options.batches.count > 0) {
      if (this.#holds.size > 0 && !this.#mayBePartiallyStored) break;
      if (await this.#writeOldest()) this.#onSettled();
      else if (this.#state === 'open') await this.#backOff();
      else break;
    }
    // In the same turn as the last look at the journal, so that a later seal starts the next run.
    this.#running = undefined;
  }

  #onSettled(): void {
    this.#failures = 0;
    this.#mayBePartiallyStored = false;
    this.#beginHolds();
  }

  /** @returns whether the oldest batch has left the journal */
  async #writeOldest(): Promise<boolean> {
    const { batches, log, onAttempt } = this.#options;
    this.#mayBePartiallyStored = true;
    try {
      const batch = await batches.readOldest();
      if (!batch) return true;
      this.#isWriting = true;
      const outcome = await this.#writeBatch(batch);
      onAttempt(outcome);
      return outcome !== 'retried';
    } catch (error) {
      log.error({ err: error }, 'batch could not be taken from the journal');
      return false;
    } finally {
      this.#isWriting = false;
    }
  }

  async #writeBatch(batch: JournalBatch): Promise<BatchOutcome> {
    const { batches, log } = this.#options;
    const result = await this.#insert(batch);
    const logFields = { segment: batch.segment.base, calls: batch.calls };
    if (result.status !== 'retryable') this.#options.onStored?.(batch);
    switch (result.status) {
      case 'stored':
        await batches.drop(batch);
        return 'stored';
      case 'retryable':
        log.warn(
          { ...logFields, failures: this.#failures + 1, reason: result.reason },
          'store did not take a batch',
        );
        return 'retried';
      case 'refused': {
        const { id, rows } = await batches.quarantine(
          batch,
          result.refused ?? toRefusedRows(batch, result.reason),
        );
        this.#options.onQuarantined(rows);
        log.error(
          { ...logFields, entry: id, rows, reason: result.reason },
          'store refuses rows; they are in quarantine',
        );
        return 'quarantined';
      }
      default:
        return result satisfies never;
    }
  }

  async #insert(batch: JournalBatch): Promise<InsertResult> {
    try {
      const { token, splits } = batch;
      const tables = await this.#dropStored(batch);
      // Every record may have been damaged; then there is nothing to insert.
      if (tables.length === 0) return { status: 'stored' };
      return await this.#options.sink.insert({ token, tables, ...(splits && { splits }) });
    } catch (error) {
      this.#options.log.error({ err: error }, 'sink failed');
      return { status: 'retryable', reason: 'the sink failed' };
    }
  }

  /**
   * The remaining rows keep the token: an attempt that succeeded without a response leaves nothing to send.
   */
  async #dropStored({ mayBeStored, tables }: JournalBatch): Promise<readonly TableRows[]> {
    if (!mayBeStored) return tables;
    const unstored: TableRows[] = [];
    for (const part of tables) {
      const rows = part.table === 'calls' ? await this.#unstoredRows(part) : part.rows;
      if (rows.length > 0) unstored.push({ table: part.table, rows });
    }
    return unstored;
  }

  async #unstoredRows({ rows }: TableRows): Promise<Uint8Array> {
    const lines = Buffer.from(rows).toString().split('\n').filter(Boolean);
    const unstored = await dropStoredCalls(lines, this.#options.findStoredCalls);
    return Buffer.from(unstored.map((line) => `${line}\n`).join(''));
  }

  #backOff(): Promise<void> {
    this.#failures += 1;
    const ms = computeBackoffMs({ failures: this.#failures }, BACKOFF);
    return sleep(ms, { signal: this.#stopping.signal, clock: this.#options.clock });
  }
}
