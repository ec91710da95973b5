// In what measure bodies become rows. Prepared spans take several times the memory of their body, so only so much is
// prepared and not yet durable at once, and only so many bodies are with the preparer; what waits waits as bytes, in order of
// arrival, and not for long: who cannot begin soon is told so while its sender still listens. Before each body the event
// loop turns a few times, so that others are heard between two bodies that are prepared in this thread.

import { setImmediate as nextTurn } from 'node:timers/promises';

export interface DecodeGateOptions {
  /** Bytes of bodies that may be inside together; one larger than that goes alone. */
  readonly capacity: number;
  /** Bodies that may be prepared at once: one, and one that waits so that there is no pause in between. */
  readonly preparing: number;
  /** Milliseconds; who waits longer is turned away. */
  readonly longestWaitMs: number;
}

export interface Work<P, T> {
  /** Of the body. */
  readonly bytes: number;
  readonly prepare: () => Promise<P>;
  /** Until this resolves, the body counts as inside. */
  readonly store: (prepared: P) => Promise<T>;
}

interface Waiting {
  readonly bytes: number;
  readonly cameAt: number;
  readonly enter: (isLet: boolean) => void;
}

/** A turn accepts a new connection and reads from each open one; with nothing to do it takes microseconds. */
const TURNS_BETWEEN = 4;

export class DecodeGate {
  readonly #options: DecodeGateOptions;
  readonly #waiting: Waiting[] = [];
  #inside = 0;
  #preparing = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: DecodeGateOptions) {
    this.#options = options;
  }

  /** How long the first in line has waited, in milliseconds. */
  get oldestWaitMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : performance.now() - first.cameAt;
  }

  /** Runs both halves of the work once there is room. @returns undefined, with nothing done, when there was none in time */
  async run<P, T>({ bytes, prepare, store }: Work<P, T>): Promise<T | undefined> {
    const size = Math.min(bytes, this.#options.capacity);
    if (!(await this.#enter(size))) return undefined;
    try {
      return await store(await this.#prepare(prepare));
    } finally {
      this.#inside -= size;
      this.#letIn();
    }
  }

  async #prepare<P>(prepare: () => Promise<P>): Promise<P> {
    try {
      for (let turn = 0; turn < TURNS_BETWEEN; turn += 1) await nextTurn();
      return await prepare();
    } finally {
      this.#preparing -= 1;
      this.#letIn();
    }
  }

  #enter(bytes: number): Promise<boolean> {
    if (this.#waiting.length === 0 && this.#isRoomFor(bytes)) {
      this.#count(bytes);
      return Promise.resolve(true);
    }
    return new Promise((enter) => {
      this.#waiting.push({ bytes, cameAt: performance.now(), enter });
      this.#watchWaiting();
    });
  }

  #isRoomFor(bytes: number): boolean {
    return this.#preparing < this.#options.preparing && this.#inside + bytes <= this.#options.capacity;
  }

  /** Before whoever is let in begins, because others may come in between. */
  #count(bytes: number): void {
    this.#inside += bytes;
    this.#preparing += 1;
  }

  #letIn(): void {
    this.#turnAway();
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#isRoomFor(next.bytes)) return;
      this.#waiting.shift();
      this.#count(next.bytes);
      next.enter(true);
    }
  }

  /** Those who have waited too long; they stand in order of arrival. */
  #turnAway(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (performance.now() - first.cameAt <= this.#options.longestWaitMs) return;
      this.#waiting.shift();
      first.enter(false);
    }
  }

  /** One timer for all, at the time of the first. */
  #watchWaiting(): void {
    const [first] = this.#waiting;
    if (this.#watch !== undefined || first === undefined) return;
    const leftMs = first.cameAt + this.#options.longestWaitMs - performance.now();
    this.#watch = setTimeout(
      () => {
        this.#watch = undefined;
        this.#turnAway();
        this.#watchWaiting();
      },
      Math.max(1, leftMs + 1),
    );
    this.#watch.unref();
  }
}
