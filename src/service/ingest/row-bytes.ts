// Rows written one behind the other into memory that grows: text becomes bytes at once, so that the texts of a request's
// rows are never alive together.

const MIN_BYTES = 4 * 1024;
/** Of one UTF-16 unit in UTF-8. */
const MAX_BYTES_PER_CODE_UNIT = 3;

export class RowBuffer {
  #bytes: Buffer;
  #length = 0;

  /** @param expectedBytes how much memory to begin with; too little costs copies */
  constructor(expectedBytes: number) {
    // Never from the pool: memory of the pool cannot be handed to another thread.
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(MIN_BYTES, expectedBytes));
  }

  get length(): number {
    return this.#length;
  }

  write(row: string): void {
    const maxLength = this.#length + row.length * MAX_BYTES_PER_CODE_UNIT;
    if (maxLength > this.#bytes.length) this.#grow(maxLength);
    this.#length += this.#bytes.write(row, this.#length);
  }

  /** What was written, in memory of its own. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(minLength: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(minLength, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
