// How much may be decoded and not yet durable at once. Decoded spans take several times the memory of their body, so what
// waits here waits as bytes, in order of arrival. One body that is larger than all there is goes alone.

interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

export class DecodeGate {
  readonly #capacity: number;
  readonly #waiting: Waiting[] = [];
  #inside = 0;

  /** @param capacity bytes of bodies that may be inside together */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Runs the work once there is room for a body of that size. */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const size = Math.min(bytes, this.#capacity);
    if (this.#waiting.length > 0 || this.#inside + size > this.#capacity)
      await new Promise<void>((resolve) => this.#waiting.push({ bytes: size, enter: resolve }));
    else this.#inside += size;
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
