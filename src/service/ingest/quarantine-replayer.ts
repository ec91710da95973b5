// Replays quarantine entries on request: the rows return to the journal and are written in order and once.
// Rows whose call is stored by now are left out.

import { type FSWatcher, watch } from 'node:fs';
import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';
import { dropStoredCalls, type FindStoredCalls } from './drop-stored-calls.ts';
import type { Journal } from './journal.ts';
import type { TableLines } from './journal-record.ts';
import {
  listReplayRequests,
  type RefusedLines,
  readRefusedEntry,
  removeReplayRequest,
} from './quarantine.ts';

export interface QuarantineReplayerOptions {
  readonly journal: Journal;
  readonly findStoredCalls: FindStoredCalls;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Delay before a failed replay is retried. */
const RETRY_MS = 5_000;

export class QuarantineReplayer {
  readonly #options: QuarantineReplayerOptions;
  #running: Promise<void> | undefined;
  #isRequested = false;
  #isStopped = false;
  #cancelRetry: (() => void) | undefined;
  #watcher: FSWatcher | undefined;

  constructor(options: QuarantineReplayerOptions) {
    this.#options = options;
  }

  /**
   * Looks for requests whenever the directory changes. If it cannot be watched, they are found at the next
   * start.
   */
  watch(): void {
    const { journal, log } = this.#options;
    try {
      const { directory } = journal.quarantineLocation;
      this.#watcher = watch(directory, { persistent: false }, () => this.wake());
      this.#watcher.on('error', (error) => log.debug({ err: error }, 'quarantine is not watched any more'));
    } catch (error) {
      log.debug({ err: error }, 'quarantine cannot be watched');
    }
  }

  /** Starts pending replays and returns at once. */
  wake(): void {
    this.#isRequested = true;
    if (!this.#isStopped) this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watcher?.close();
    this.#cancelRetry?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { journal, clock, log } = this.#options;
    let hasRemaining = false;
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false;
      hasRemaining = false;
      try {
        for (const id of await listReplayRequests(journal.quarantineLocation))
          if (!(await this.#replayEntry(id))) hasRemaining = true;
      } catch (error) {
        hasRemaining = true;
        log.warn({ err: error }, 'quarantine could not be sent again yet');
      }
    }
    this.#running = undefined;
    this.#cancelRetry?.();
    this.#cancelRetry =
      hasRemaining && !this.#isStopped ? clock.schedule(RETRY_MS, () => this.wake()) : undefined;
  }

  /** @returns whether the entry is finished */
  async #replayEntry(id: string): Promise<boolean> {
    const { journal, log } = this.#options;
    const entry = await readRefusedEntry(journal.quarantineLocation, id);
    if (!entry) {
      await removeReplayRequest(journal.quarantineLocation, id);
      return true;
    }
    // Its batch is resent first, under its own token, and may replace the entry.
    if (entry.node === journal.node && journal.batches.hasSegment(entry.segment)) return false;
    const status = await journal.replay(id, await this.#dropStored(entry.refused));
    if (status === 'appended') log.info({ entry: id, rows: entry.rows }, 'quarantined rows are sent again');
    return status === 'appended';
  }

  async #dropStored(parts: readonly RefusedLines[]): Promise<TableLines[]> {
    const unstored: TableLines[] = [];
    for (const { table, rows } of parts) {
      const { findStoredCalls } = this.#options;
      unstored.push({ table, rows: table === 'calls' ? await dropStoredCalls(rows, findStoredCalls) : rows });
    }
    return unstored;
  }
}
