// Holds the desk and changes it, one change after the other. Three ways, by what a full disk means: `change` rejects and
// leaves all as it was, `advance` leaves all as it was until the next try, `record` takes what has happened as happened.

import type { Desk } from './desk.ts';
import { type DeskFileOptions, DeskWriter } from './desk-file.ts';

export class DeskKeeper {
  readonly #file: DeskFileOptions;
  readonly #writer: DeskWriter;
  #desk: Desk;
  #changes: Promise<unknown> = Promise.resolve();

  constructor(desk: Desk, file: DeskFileOptions) {
    this.#desk = desk;
    this.#file = file;
    this.#writer = new DeskWriter(file);
  }

  get desk(): Desk {
    return this.#desk;
  }

  /** Resolves when the change is on disk; rejects, with nothing changed, when it throws or cannot be written. */
  change(change: (desk: Desk) => Desk): Promise<void> {
    return this.#inTurn(async () => {
      const next = change(this.#desk);
      await this.#writer.write(next);
      this.#desk = next;
    });
  }

  /** The same, for what has to be off the disk afterwards. */
  erase(change: (desk: Desk) => Desk): Promise<void> {
    return this.#inTurn(async () => {
      const next = change(this.#desk);
      await this.#writer.rewrite(next);
      this.#desk = next;
    });
  }

  /** @returns whether the desk is now what `next` made of it; what is not `durable` need not be on disk for that */
  advance(next: (desk: Desk) => { readonly desk: Desk; readonly durable: boolean }): Promise<boolean> {
    return this.#inTurn(async () => {
      const { desk, durable } = next(this.#desk);
      if (durable && !(await this.#write(desk))) return false;
      this.#desk = desk;
      return true;
    });
  }

  /** Never rejects. A message that was told is not told again while we live, on disk or not. */
  record(change: (desk: Desk) => Desk): Promise<void> {
    return this.#inTurn(async () => {
      this.#desk = change(this.#desk);
      await this.#write(this.#desk);
    });
  }

  /** Resolves when every change asked for so far is through. */
  async settled(): Promise<void> {
    await this.#changes;
  }

  async #write(desk: Desk): Promise<boolean> {
    try {
      await this.#writer.write(desk);
      return true;
    } catch (error) {
      this.#file.log.error({ err: error }, 'alert states could not be written');
      return false;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(work);
    // Whoever asked for the change hears of its failure; the next one only waits for its end.
    this.#changes = done.catch(() => undefined);
    return done;
  }
}
