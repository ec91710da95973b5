// The follower of the service, which can be ended and begun anew: a new one knows only what the store holds.

import type { Follower } from './follower/follower.ts';

export class FollowerSlot {
  readonly #start: () => Follower | undefined;
  #follower: Follower | undefined;
  #isClosed = false;

  /** @param start begins it; nothing where nobody follows */
  constructor(start: () => Follower | undefined) {
    this.#start = start;
    this.#follower = start();
  }

  /** Something new is in the store. */
  wake(): void {
    this.#follower?.wake();
  }

  /** Ends it, with what it remembers. @returns what begins it anew */
  async stop(): Promise<() => void> {
    await this.#follower?.close();
    this.#follower = undefined;
    return () => {
      if (!this.#isClosed) this.#follower ??= this.#start();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#follower?.close();
  }
}
