// Writes state changes to the store, in order, one batch at a time, each under its own token: a batch stored
// just before a kill is resent and changes nothing.

import type { Logger } from 'pino';
import { toAlertEventRows } from './alert-event-rows.ts';
import type { AlertStateRepository } from './alert-state-repository.ts';

export interface AlertEventWriterOptions {
  readonly repository: AlertStateRepository;
  /** Stores rows of `alert_events`; the same token twice is stored once. False: try again. */
  readonly storeEvents: (rows: Uint8Array, token: string) => Promise<boolean>;
  readonly publish: () => void;
  readonly log: Logger;
}

export class AlertEventWriter {
  readonly #options: AlertEventWriterOptions;
  #writing: Promise<void> | undefined;

  constructor(options: AlertEventWriterOptions) {
    this.#options = options;
  }

  /** Begins with what waits, unless it is under way; returns at once. What fails waits for the next call. */
  write(): void {
    if (this.#writing || this.#options.repository.state.unstored.length === 0) return;
    this.#writing = this.#writeAll()
      .catch((error: unknown) => this.#options.log.warn({ err: error }, 'alert events could not be stored'))
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    const { repository, storeEvents, publish } = this.#options;
    for (let [batch] = repository.state.unstored; batch; [batch] = repository.state.unstored) {
      const { token, events } = batch;
      if (!(await storeEvents(toAlertEventRows(events), token))) return;
      await repository.updateInMemory((desk) => ({
        ...desk,
        unstored: desk.unstored.filter((other) => other.token !== token),
      }));
      publish();
    }
  }
}
