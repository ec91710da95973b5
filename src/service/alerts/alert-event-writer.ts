// Writes state changes to the table `alert_events`, in order, one batch at a time, each under its own token: a
// batch stored just before a kill is resent and changes nothing.

import type { Logger } from 'pino';
import type { AlertEvent } from './alert-records.ts';
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

  /** Starts writing unless a write is pending; returns at once. What fails is retried by the next call. */
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
      const rows = Buffer.from(events.map((event) => `${JSON.stringify(toEventRow(event))}\n`).join(''));
      if (!(await storeEvents(rows, token))) return;
      await repository.updateInMemory((alertState) => ({
        ...alertState,
        unstored: alertState.unstored.filter((other) => other.token !== token),
      }));
      publish();
    }
  }
}

function toEventRow({ ruleId, atMs, activeMs, from, to, ...rest }: AlertEvent): object {
  return {
    ...rest,
    rule_id: ruleId,
    at: formatDateTime(atMs, 23),
    window_start: formatDateTime(activeMs, 19),
    window_end: formatDateTime(atMs, 19),
    from_state: from,
    to_state: to,
  };
}

/** `YYYY-MM-DD hh:mm:ss.fff` in UTC, cut to `length` characters. */
function formatDateTime(ms: number, length: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, length);
}
