// Takes back into the journal what somebody asked to send again: from there it goes the way of everything else, in order and
// once. Rows whose call has reached the store by another way meanwhile are left out.

import { type FSWatcher, watch } from 'node:fs';
import type { Logger } from 'pino';
import type { Clock } from '../../segments/clock.ts';
import { dropStoredCalls, type FindStored } from './drop-stored.ts';
import type { Journal } from './journal.ts';
import { forgetAsked, listAsked, type RefusedLines, type RowLines, readRefused } from './quarantine.ts';

export interface ReshipperOptions {
  readonly journal: Journal;
  readonly findStored: FindStored;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long what could not be taken back yet waits. */
const PAUSE_MS = 5_000;

export class Reshipper {
  readonly #options: ReshipperOptions;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopped = false;
  #cancelPause: (() => void) | undefined;
  #watcher: FSWatcher | undefined;

  constructor(options: ReshipperOptions) {
    this.#options = options;
  }

  /** Looks for marks whenever the directory changes. Where it cannot be watched, they are found at the next start. */
  watch(): void {
    const { journal, log } = this.#options;
    try {
      const { directory } = journal.quarantinePlace;
      this.#watcher = watch(directory, { persistent: false }, () => this.wake());
      this.#watcher.on('error', (error) => log.debug({ err: error }, 'quarantine is not watched any more'));
    } catch (error) {
      log.debug({ err: error }, 'quarantine cannot be watched');
    }
  }

  /** Takes back what is asked for, if anything is; returns at once. */
  wake(): void {
    this.#isAskedAgain = true;
    if (!this.#isStopped) this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#watcher?.close();
    this.#cancelPause?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { journal, clock, log } = this.#options;
    let isLeft = false;
    while (this.#isAskedAgain && !this.#isStopped) {
      this.#isAskedAgain = false;
      isLeft = false;
      try {
        for (const id of await listAsked(journal.quarantinePlace))
          if (!(await this.#takeBack(id))) isLeft = true;
      } catch (error) {
        isLeft = true;
        log.warn({ err: error }, 'quarantine could not be sent again yet');
      }
    }
    this.#running = undefined;
    this.#cancelPause?.();
    this.#cancelPause = isLeft && !this.#isStopped ? clock.schedule(PAUSE_MS, () => this.wake()) : undefined;
  }

  /** @returns whether nothing is left to do for that entry */
  async #takeBack(id: string): Promise<boolean> {
    const { journal, log } = this.#options;
    const entry = await readRefused(journal.quarantinePlace, id);
    if (!entry) {
      await forgetAsked(journal.quarantinePlace, id);
      return true;
    }
    // Its batch comes again first, under its own token, and may replace the entry.
    if (entry.node === journal.node && journal.holds(entry.segment)) return false;
    const status = await journal.takeBack(id, await this.#dropStored(entry.refused));
    if (status === 'appended') log.info({ entry: id, rows: entry.rows }, 'quarantined rows are sent again');
    return status === 'appended';
  }

  async #dropStored(parts: readonly RefusedLines[]): Promise<RowLines[]> {
    const left: RowLines[] = [];
    for (const { table, rows } of parts) {
      const { findStored } = this.#options;
      left.push({ table, rows: table === 'calls' ? await dropStoredCalls(rows, findStored) : rows });
    }
    return left;
  }
}
