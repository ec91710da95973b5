// Limits the decoding of bodies. Prepared spans take several times the memory of their body, so the bytes
// that are prepared but not yet durable and the number of bodies in preparation are bounded. Others wait as
// bytes in order of arrival, and are refused after a short time, while the sender is still waiting. The event
// loop runs a few turns before each body, so that other work proceeds between bodies prepared inline.

import { setImmediate as nextTurn } from 'node:timers/promises';

export interface DecodeLimiterOptions {
  /** Maximum bytes of admitted bodies; a larger body is admitted alone. */
  readonly maxBytes: number;
  /** Bodies prepared concurrently: one, and the next one so that there is no pause. */
  readonly maxConcurrent: number;
  /** Maximum wait in milliseconds; then the body is refused. */
  readonly maxWaitMs: number;
}

export interface DecodeTask<P, T> {
  /** Of the body. */
  readonly bytes: number;
  readonly prepare: () => Promise<P>;
  /** The body counts as admitted until this resolves. */
  readonly store: (prepared: P) => Promise<T>;
}

interface WaitingTask {
  readonly bytes: number;
  readonly arrivedAtMs: number;
  readonly settle: (isAdmitted: boolean) => void;
}

/** A turn accepts a connection and reads from each open one; an idle turn takes microseconds. */
const EVENT_LOOP_TURNS = 4;

export class DecodeLimiter {
  readonly #options: DecodeLimiterOptions;
  readonly #waiting: WaitingTask[] = [];
  #admittedBytes = 0;
  #preparing = 0;

  constructor(options: DecodeLimiterOptions) {
    this.#options = options;
  }

  /** How long the first in line has waited, in milliseconds. */
  get oldestWaitMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : performance.now() - first.arrivedAtMs;
  }

  /**
   * Runs both steps once there is capacity.
   *
   * @returns undefined, with nothing done, if there was none in time
   */
  async run<P, T>({ bytes, prepare, store }: DecodeTask<P, T>): Promise<T | undefined> {
    const size = Math.min(bytes, this.#options.maxBytes);
    if (!(await this.#acquire(size))) return undefined;
    try {
      return await store(await this.#prepare(prepare));
    } finally {
      this.#admittedBytes -= size;
      this.#admitNext();
    }
  }

  async #prepare<P>(prepare: () => Promise<P>): Promise<P> {
    try {
      for (let turn = 0; turn < EVENT_LOOP_TURNS; turn += 1) await nextTurn();
      return await prepare();
    } finally {
      this.#preparing -= 1;
      this.#admitNext();
    }
  }

  #acquire(bytes: number): Promise<boolean> {
    if (this.#waiting.length === 0 && this.#hasCapacityFor(bytes)) {
      this.#reserve(bytes);
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(task, false), this.#options.maxWaitMs).unref();
      const settle = (isAdmitted: boolean): void => {
        clearTimeout(timer);
        resolve(isAdmitted);
      };
      const task: WaitingTask = { bytes, arrivedAtMs: performance.now(), settle };
      this.#waiting.push(task);
    });
  }

  #settle(task: WaitingTask, isAdmitted: boolean): void {
    this.#waiting.splice(this.#waiting.indexOf(task), 1);
    task.settle(isAdmitted);
  }

  #hasCapacityFor(bytes: number): boolean {
    return (
      this.#preparing < this.#options.maxConcurrent && this.#admittedBytes + bytes <= this.#options.maxBytes
    );
  }

  /** Reserved before the admitted body starts, because others may arrive in between. */
  #reserve(bytes: number): void {
    this.#admittedBytes += bytes;
    this.#preparing += 1;
  }

  #admitNext(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      // A timer may be late while the event loop is busy.
      const isExpired = performance.now() - next.arrivedAtMs > this.#options.maxWaitMs;
      if (!isExpired && !this.#hasCapacityFor(next.bytes)) return;
      if (!isExpired) this.#reserve(next.bytes);
      this.#settle(next, !isExpired);
    }
  }
}
