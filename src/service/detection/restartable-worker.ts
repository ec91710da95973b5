// The follower of the service, which can be ended and begun anew: a new one knows only what the store holds.

import type { DetectionWorker } from './detection-worker.ts';

export class RestartableWorker {
  readonly #start: () => DetectionWorker | undefined;
  #worker: DetectionWorker | undefined;
  #isClosed = false;

  /** @param start begins it; nothing where nobody follows */
  constructor(start: () => DetectionWorker | undefined) {
    this.#start = start;
    this.#worker = start();
  }

  /** Something new is in the store. */
  wake(): void {
    this.#worker?.wake();
  }

  /** Ends it, with what it remembers. @returns what begins it anew */
  async stop(): Promise<() => void> {
    await this.#worker?.close();
    this.#worker = undefined;
    return () => {
      if (!this.#isClosed) this.#worker ??= this.#start();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.close();
  }
}
