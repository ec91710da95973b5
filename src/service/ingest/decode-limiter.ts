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
  readonly admit: (isAdmitted: boolean) => void;
}

/** A turn accepts a connection and reads from each open one; an idle turn takes microseconds. */
const EVENT_LOOP_TURNS = 4;

export class DecodeLimiter {
  readonly #options: DecodeLimiterOptions;
  readonly #waiting: WaitingTask[] = [];
  #admittedBytes = 0;
  #preparing = 0;
  #expiryTimer: NodeJS.Timeout | undefined;

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
    return new Promise((admit) => {
      this.#waiting.push({ bytes, arrivedAtMs: performance.now(), admit });
      this.#scheduleExpiry();
    });
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
    this.#rejectExpired();
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#hasCapacityFor(next.bytes)) return;
      this.#waiting.shift();
      this.#reserve(next.bytes);
      next.admit(true);
    }
  }

  /** Rejects expired waiters; they are in order of arrival. */
  #rejectExpired(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (performance.now() - first.arrivedAtMs <= this.#options.maxWaitMs) return;
      this.#waiting.shift();
      first.admit(false);
    }
  }

  /** One timer for all, at the first deadline. */
  #scheduleExpiry(): void {
    const [first] = this.#waiting;
    if (this.#expiryTimer !== undefined || first === undefined) return;
    const leftMs = first.arrivedAtMs + this.#options.maxWaitMs - performance.now();
    this.#expiryTimer = setTimeout(
      () => {
        this.#expiryTimer = undefined;
        this.#rejectExpired();
        this.#scheduleExpiry();
      },
      Math.max(1, leftMs + 1),
    );
    this.#expiryTimer.unref();
  }
}
