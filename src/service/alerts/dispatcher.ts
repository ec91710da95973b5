// Sends what waits in the outbox, a few at a time. Owns the requests under way. An attempt that our own end cuts off may
// have arrived: its entry stays, and goes again after the next start under the same id.

import type { Logger } from 'pino';
import type { Clock } from '../../segments/clock.ts';
import type { DeskKeeper } from './desk-keeper.ts';
import type { Notify } from './notify.ts';
import { dueEntries, type OutboxEntry, settle } from './outbox.ts';
import type { Receiver } from './receiver.ts';

export interface DispatcherOptions {
  readonly keeper: DeskKeeper;
  readonly receivers: readonly Receiver[];
  readonly notify: Notify;
  readonly clock: Clock;
  /** Aborted, it ends the requests under way. */
  readonly ending: AbortController;
  readonly publish: () => void;
  readonly log: Logger;
}

const MOST_IN_FLIGHT = 8;
/** What a request that is under way at the end may still take. */
const LAST_REQUEST_MS = 2_000;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #inFlight = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Begins what is due; returns at once. */
  deliver(): void {
    if (this.#isClosed) return;
    const { keeper, clock } = this.#options;
    const inFlight = new Set(this.#inFlight.keys());
    const due = dueEntries(keeper.desk.outbox, { inFlight, nowMs: clock.now() });
    for (const entry of due.slice(0, MOST_IN_FLIGHT - inFlight.size)) {
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
    const { clock, ending } = this.#options;
    const cancel = clock.schedule(LAST_REQUEST_MS, () => ending.abort());
    await Promise.all(this.#inFlight.values());
    cancel();
    ending.abort();
  }

  async #send({ id, receiver: name, message }: OutboxEntry): Promise<void> {
    const { receivers, notify, ending, keeper, clock, publish, log } = this.#options;
    const receiver = receivers.find((known) => known.name === name);
    if (!receiver) throw new Error('the outbox holds only what is for a known receiver');
    const result = await notify(receiver, { id, message, signal: ending.signal });
    if (ending.signal.aborted && result.status === 'retry') return;
    const about = { id, receiver: name, status: result.status, httpStatus: result.httpStatus };
    if (result.status === 'delivered') log.debug(about, 'alert message was delivered');
    else log.warn({ ...about, reason: result.reason }, 'alert message was not delivered');
    await keeper.record((desk) => ({
      ...desk,
      outbox: settle(desk.outbox, { id, result, nowMs: clock.now(), random: Math.random() }),
    }));
    publish();
  }
}
