// Holds the alert state and serialises its changes. Three methods differ in how they treat a full disk:
// `update` rejects and changes nothing, `tryUpdate` changes nothing until the next try, `updateInMemory`
// keeps the change in memory.

import { createMutex } from '../jobs/mutex.ts';
import type { AlertState } from './alert-records.ts';
import { type AlertStateFileOptions, AlertStateWriter } from './alert-state-file.ts';

type AlertStateChange = (alertState: AlertState) => AlertState;

export class AlertStateRepository {
  readonly #log: AlertStateFileOptions['log'];
  readonly #writer: AlertStateWriter;
  readonly #runExclusive = createMutex();
  #state: AlertState;

  constructor(alertState: AlertState, file: AlertStateFileOptions) {
    this.#state = alertState;
    this.#log = file.log;
    this.#writer = new AlertStateWriter(file);
  }

  get state(): AlertState {
    return this.#state;
  }

  /**
   * Resolves when the change is on disk; rejects, with nothing changed, when it throws or cannot be written.
   *
   * @param write `rewrite` removes the previous state from the disk
   */
  update(change: AlertStateChange, write: 'write' | 'rewrite' = 'write'): Promise<void> {
    return this.#runExclusive(async () => {
      const next = change(this.#state);
      await this.#writer[write](next);
      this.#state = next;
    });
  }

  /** @returns whether the state was changed; only a `durable` change must be on disk for that */
  tryUpdate(
    change: (alertState: AlertState) => { readonly alertState: AlertState; readonly durable: boolean },
  ): Promise<boolean> {
    return this.#runExclusive(async () => {
      const { alertState, durable } = change(this.#state);
      if (durable && !(await this.#tryWrite(alertState))) return false;
      this.#state = alertState;
      return true;
    });
  }

  /** Never rejects. While the process lives, a sent message is not sent again even if this is not on disk. */
  updateInMemory(change: AlertStateChange): Promise<void> {
    return this.#runExclusive(async () => {
      this.#state = change(this.#state);
      await this.#tryWrite(this.#state);
    });
  }

  /** Resolves when all previous changes are complete. */
  settled(): Promise<void> {
    return this.#runExclusive(async () => undefined);
  }

  async #tryWrite(alertState: AlertState): Promise<boolean> {
    try {
      await this.#writer.write(alertState);
      return true;
    } catch (error) {
      this.#log.error({ err: error }, 'alert state could not be written');
      return false;
    }
  }
}
