// In what measure bodies become rows. Prepared spans take several times the memory of their body, so only so much is
// prepared and not yet durable at once, and only so many bodies are with the preparer; what waits waits as bytes, in order of
// arrival, and not for long: who cannot begin soon is told so while its sender still listens. Before each body the event
// loop turns a few times, so that others are heard between two bodies that are prepared in this thread.

import { setImmediate as nextTurn } from 'node:timers/promises';

export interface DecodeLimiterOptions {
  /** Bytes of bodies that may be inside together; one larger than that goes alone. */
  readonly maxBytes: number;
  /** Bodies that may be prepared at once: one, and one that waits so that there is no pause in between. */
  readonly maxConcurrent: number;
  /** Milliseconds; who waits longer is turned away. */
  readonly maxWaitMs: number;
}

export interface DecodeTask<P, T> {
  /** Of the body. */
  readonly bytes: number;
  readonly prepare: () => Promise<P>;
  /** Until this resolves, the body counts as inside. */
  readonly store: (prepared: P) => Promise<T>;
}

interface WaitingTask {
  readonly bytes: number;
  readonly arrivedAtMs: number;
  readonly admit: (isAdmitted: boolean) => void;
}

/** A turn accepts a new connection and reads from each open one; with nothing to do it takes microseconds. */
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

  /** Runs both halves of the work once there is room. @returns undefined, with nothing done, when there was none in time */
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

  /** Before whoever is let in begins, because others may come in between. */
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

  /** Those who have waited too long; they stand in order of arrival. */
  #rejectExpired(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (performance.now() - first.arrivedAtMs <= this.#options.maxWaitMs) return;
      this.#waiting.shift();
      first.admit(false);
    }
  }

  /** One timer for all, at the time of the first. */
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
