// The service's detection worker, which can be stopped and restarted; a new one knows only what is stored.

import type { DetectionWorker } from './detection-worker.ts';

export class RestartableWorker {
  readonly #start: () => DetectionWorker | undefined;
  #worker: DetectionWorker | undefined;
  #isClosed = false;

  /** \n@param start starts the worker; returns undefined if detection is disabled */
  constructor(start: () => DetectionWorker | undefined) {
    this.#start = start;
    this.#worker = start();
  }

  /** New calls are stored. */
  wake(): void {
    this.#worker?.wake();
  }

  /**
   * Stops the worker and drops its state.
   *
   * @returns a function that restarts it
   */
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
