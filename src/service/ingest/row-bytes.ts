// Rows written one behind the other into memory that grows: text becomes bytes at once, so that the texts of a request's
// rows are never alive together.

const LEAST_BYTES = 4 * 1024;
/** Of one UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;

export class RowBytes {
  #bytes: Buffer;
  #length = 0;

  /** @param expectedBytes how much memory to begin with; too little costs copies */
  constructor(expectedBytes: number) {
    // Never from the pool: memory of the pool cannot be handed to another thread.
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, expectedBytes));
  }

  get length(): number {
    return this.#length;
  }

  write(row: string): void {
    const most = this.#length + row.length * MOST_BYTES;
    if (most > this.#bytes.length) this.#grow(most);
    this.#length += this.#bytes.write(row, this.#length);
  }

  /** What was written, in memory of its own. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(least: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
