// Writes rows consecutively into a growing buffer: text is encoded at once, so that the texts of a request's
// rows are never all in memory.

const MIN_BYTES = 4 * 1024;
/** Of one UTF-16 unit in UTF-8. */
const MAX_BYTES_PER_CODE_UNIT = 3;

export class RowBuffer {
  #bytes: Buffer;
  #length = 0;

  /** @param expectedBytes initial capacity; too little causes copies */
  constructor(expectedBytes: number) {
    // Never from the pool: pooled memory cannot be transferred to another thread.
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

  /** The written bytes, in their own memory. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(minLength: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(minLength, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
