// In what measure bodies become spans. Decoded spans take several times the memory of their body, so only so much is decoded
// and not yet durable at once; what waits waits as bytes, in order of arrival. Decoding holds up everything else in this
// process, so between two bodies the event loop turns a few times and others are heard: without that, a hundred bodies that
// arrive together are ten seconds without an answer to anybody.

import { setImmediate as nextTurn } from 'node:timers/promises';

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

/** A turn accepts one new connection and reads from each open one; with nothing to do it takes microseconds. */
const TURNS_BETWEEN = 16;

export class DecodeGate {
  readonly #capacity: number;
  readonly #waiting: Waiting[] = [];
  /** When those came who have not begun, in order. */
  readonly #cameAt: number[] = [];
  #inside = 0;
  #turn: Promise<void> = Promise.resolve();

  /** @param capacity bytes of bodies that may be inside together */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** How long the first in line has waited, in milliseconds. */
  get oldestWaitMs(): number {
    const [first] = this.#cameAt;
    return first === undefined ? 0 : performance.now() - first;
  }

  /** Runs the work once there is room for a body of that size, in a turn of its own. One larger than all there is goes alone. */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    this.#cameAt.push(performance.now());
    const size = Math.min(bytes, this.#capacity);
    if (this.#waiting.length > 0 || this.#inside + size > this.#capacity)
      await new Promise<void>((resolve) => this.#waiting.push({ bytes: size, enter: resolve }));
    else this.#inside += size;
    this.#turn = this.#turn.then(turnAround);
    await this.#turn;
    this.#cameAt.shift();
    try {
      return await work();
    } finally {
      this.#inside -= size;
      this.#letIn();
    }
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#inside + next.bytes > this.#capacity) return;
      this.#waiting.shift();
      // Counted here and not by whoever enters, because others may come before it does.
      this.#inside += next.bytes;
      next.enter();
    }
  }
}

async function turnAround(): Promise<void> {
  for (let turn = 0; turn < TURNS_BETWEEN; turn += 1) await nextTurn();
}
