// Sends outbox entries, a few at a time. Owns the pending requests. An attempt cut off by shutdown may have
// arrived: its entry stays and is resent after the next start under the same id.

import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';
import type { AlertStateRepository } from './alert-state-repository.ts';
import type { Notify } from './notify.ts';
import { findDueEntries, type OutboxEntry, recordAttempt } from './outbox.ts';
import type { Receiver } from './receiver.ts';

export interface NotificationDispatcherOptions {
  readonly repository: AlertStateRepository;
  readonly receivers: readonly Receiver[];
  readonly notify: Notify;
  readonly clock: Clock;
  /** Aborted, it ends the requests under way. */
  readonly abort: AbortController;
  readonly publish: () => void;
  readonly log: Logger;
}

const MAX_IN_FLIGHT = 8;
/** What a request that is under way at the end may still take. */
const CLOSE_TIMEOUT_MS = 2_000;

export class NotificationDispatcher {
  readonly #options: NotificationDispatcherOptions;
  readonly #inFlight = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: NotificationDispatcherOptions) {
    this.#options = options;
  }

  /** Begins what is due; returns at once. */
  deliver(): void {
    if (this.#isClosed) return;
    const { repository, clock } = this.#options;
    const inFlight = new Set(this.#inFlight.keys());
    const due = findDueEntries(repository.state.outbox, { inFlight, nowMs: clock.now() });
    for (const entry of due.slice(0, MAX_IN_FLIGHT - inFlight.size)) {
      const sending = this.#send(entry).finally(() => {
        this.#inFlight.delete(entry.id);
        this.deliver();
      });
      this.#inFlight.set(entry.id, sending);
    }
  }

  /** Begins nothing more; resolves when nothing is under way, within two seconds and a write. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { clock, abort } = this.#options;
    const cancel = clock.schedule(CLOSE_TIMEOUT_MS, () => abort.abort());
    await Promise.all(this.#inFlight.values());
    cancel();
    abort.abort();
  }

  async #send({ id, receiver: name, message }: OutboxEntry): Promise<void> {
    const { receivers, notify, abort, repository, clock, publish, log } = this.#options;
    const receiver = receivers.find((known) => known.name === name);
    if (!receiver) throw new Error('the outbox holds only what is for a known receiver');
    const result = await notify(receiver, { id, message, signal: abort.signal });
    if (abort.signal.aborted && result.status === 'retry') return;
    const logFields = { id, receiver: name, status: result.status, httpStatus: result.httpStatus };
    if (result.status === 'delivered') log.debug(logFields, 'alert message was delivered');
    else log.warn({ ...logFields, reason: result.reason }, 'alert message was not delivered');
    await repository.updateInMemory((desk) => ({
      ...desk,
      outbox: recordAttempt(desk.outbox, { id, result, nowMs: clock.now(), random: Math.random() }),
    }));
    publish();
  }
}
