// Sends outbox entries, a few at a time. Owns the pending requests. An attempt cut off by shutdown may have
// arrived: its entry stays and is resent after the next start under the same id.

import type { Logger } from 'pino';
import type { Clock } from '../../segment-log/clock.ts';
import { addBackground, type BackgroundReaders } from './alert-background.ts';
import type { OutboxEntry } from './alert-records.ts';
import type { AlertStateRepository } from './alert-state-repository.ts';
import { beginAttempt, findDueEntries, findReference, recordAttempt } from './outbox.ts';
import type { Notify } from './receivers/notify.ts';
import type { Receiver } from './receivers/receiver.ts';

export interface NotificationDispatcherOptions extends BackgroundReaders {
  readonly repository: AlertStateRepository;
  /** Its receivers change when the rules file does. */
  readonly config: { readonly receivers: readonly Receiver[] };
  readonly notify: Notify;
  readonly clock: Clock;
  /** Aborts the pending requests. */
  readonly abort: AbortController;
  readonly publish: () => void;
  readonly log: Logger;
}

const MAX_IN_FLIGHT = 8;
/** How long a pending request may still take at shutdown. */
const CLOSE_TIMEOUT_MS = 2_000;
/** How long a message waits for its causes and for what changed before. */
const BACKGROUND_TIMEOUT_MS = 3_000;

export class NotificationDispatcher {
  readonly #options: NotificationDispatcherOptions;
  readonly #inFlight = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: NotificationDispatcherOptions) {
    this.#options = options;
  }

  /** Starts sending due entries; returns at once. */
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

  /** Starts nothing more; resolves when nothing is in flight, after two seconds and a write at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { clock, abort } = this.#options;
    const cancel = clock.schedule(CLOSE_TIMEOUT_MS, () => abort.abort());
    await Promise.all(this.#inFlight.values());
    cancel();
    abort.abort();
  }

  async #send(entry: OutboxEntry): Promise<void> {
    const { id, receiver: name, isUnanswered: wasUnanswered = false } = entry;
    const { config, notify, abort, repository, clock, publish, log } = this.#options;
    const receiver = config.receivers.find((known) => known.name === name);
    if (!receiver) throw new Error('every entry of the outbox has a configured receiver');
    const told = wasUnanswered ? { ...entry.message, isPossibleRepeat: true } : entry.message;
    const message = await addBackground(told, { ...this.#options, timeoutMs: BACKGROUND_TIMEOUT_MS });
    // The log has no answer to wait for.
    if (receiver.type !== 'log')
      await repository.updateInMemory((alertState) => ({
        ...alertState,
        outbox: beginAttempt(alertState.outbox, id),
      }));
    const reference = findReference(repository.state.outbox, entry);
    const result = await notify(receiver, { id, message, signal: abort.signal, reference });
    if (abort.signal.aborted && result.status === 'retry') return;
    const logFields = { id, receiver: name, status: result.status, httpStatus: result.httpStatus };
    if (result.status === 'delivered') log.debug(logFields, 'alert message was delivered');
    else log.warn({ ...logFields, reason: result.reason }, 'alert message was not delivered');
    await repository.updateInMemory((alertState) => ({
      ...alertState,
      outbox: recordAttempt(alertState.outbox, {
        ...{ id, result, wasUnanswered, nowMs: clock.now() },
        random: Math.random(),
      }),
    }));
    publish();
  }
}
