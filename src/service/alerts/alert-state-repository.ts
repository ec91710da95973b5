// Holds the alert state and serialises its changes. Three methods differ in how they treat a full disk:
// `update` rejects and changes nothing, `tryUpdate` changes nothing until the next try, `updateInMemory`
// keeps the change in memory.

import type { AlertState } from './alert-state.ts';
import { type AlertStateFileOptions, AlertStateWriter } from './alert-state-file.ts';

export class AlertStateRepository {
  readonly #file: AlertStateFileOptions;
  readonly #writer: AlertStateWriter;
  #state: AlertState;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(alertState: AlertState, file: AlertStateFileOptions) {
    this.#state = alertState;
    this.#file = file;
    this.#writer = new AlertStateWriter(file);
  }

  get state(): AlertState {
    return this.#state;
  }

  /** Resolves when the change is on disk; rejects, with nothing changed, when it throws or cannot be written. */
  update(change: (alertState: AlertState) => AlertState): Promise<void> {
    return this.#runExclusive(async () => {
      const next = change(this.#state);
      await this.#writer.write(next);
      this.#state = next;
    });
  }

  /** The same, for what has to be off the disk afterwards. */
  updateAndRewrite(change: (alertState: AlertState) => AlertState): Promise<void> {
    return this.#runExclusive(async () => {
      const next = change(this.#state);
      await this.#writer.rewrite(next);
      this.#state = next;
    });
  }

  /** @returns whether the desk is now what `next` made of it; what is not `durable` need not be on disk for that */
  tryUpdate(
    next: (alertState: AlertState) => { readonly alertState: AlertState; readonly durable: boolean },
  ): Promise<boolean> {
    return this.#runExclusive(async () => {
      const { alertState, durable } = next(this.#state);
      if (durable && !(await this.#write(alertState))) return false;
      this.#state = alertState;
      return true;
    });
  }

  /** Never rejects. A notified message is not sent again while the process lives, on disk or not. */
  updateInMemory(change: (alertState: AlertState) => AlertState): Promise<void> {
    return this.#runExclusive(async () => {
      this.#state = change(this.#state);
      await this.#write(this.#state);
    });
  }

  /** Resolves when every change asked for so far is through. */
  async settled(): Promise<void> {
    await this.#lastChange;
  }

  async #write(alertState: AlertState): Promise<boolean> {
    try {
      await this.#writer.write(alertState);
      return true;
    } catch (error) {
      this.#file.log.error({ err: error }, 'alert states could not be written');
      return false;
    }
  }

  #runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastChange.then(work);
    // The caller receives the failure; the next change only waits for the end.
    this.#lastChange = done.catch(() => undefined);
    return done;
  }
}
