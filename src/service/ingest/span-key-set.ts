// A set of (trace id, span id) in 24 bytes each: open addressing over one array of 32-bit words. Exact, because a false
// "seen before" would lose a call; compact, because a quarter of a million keys as strings in a Set take 25 MB.

const WORDS_PER_KEY = 6;
const SLOTS_PER_KEY = 2;

/** Values of '0'–'9' and 'a'–'f' by character code. */
const HEX = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? 0 : digit;
});

export class SpanKeySet {
  readonly #capacity: number;
  readonly #mask: number;
  readonly #slots: Uint32Array;
  readonly #key = new Uint32Array(WORDS_PER_KEY);
  #size = 0;

  /** @param capacity number of keys; `add` throws beyond it */
  constructor(capacity: number) {
    this.#capacity = capacity;
    const slots = 2 ** Math.ceil(Math.log2(capacity * SLOTS_PER_KEY));
    this.#mask = slots - 1;
    this.#slots = new Uint32Array(slots * WORDS_PER_KEY);
  }

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** @param traceId 32 and `spanId` 16 lower-case hex digits, neither all zeros */
  has(traceId: string, spanId: string): boolean {
    const slot = this.#find(traceId, spanId);
    return !this.#isFree(slot);
  }

  add(traceId: string, spanId: string): void {
    const slot = this.#find(traceId, spanId);
    if (!this.#isFree(slot)) return;
    if (this.isFull) throw new RangeError('The set of keys is full.');
    this.#slots.set(this.#key, slot);
    this.#size++;
  }

  /** The slot of the key, or the free slot where it belongs; leaves the key's words in `#key`. */
  #find(traceId: string, spanId: string): number {
    const key = this.#key;
    for (let word = 0; word < 4; word++) key[word] = readWord(traceId, word * 8);
    key[4] = readWord(spanId, 0);
    key[5] = readWord(spanId, 8);
    let at = this.#hash() & this.#mask;
    while (!this.#isFree(at * WORDS_PER_KEY) && !this.#holds(at * WORDS_PER_KEY)) at = (at + 1) & this.#mask;
    return at * WORDS_PER_KEY;
  }

  /** Ids should be random, but some emitters count up; multiplying distributes those too. */
  #hash(): number {
    let hash = 0;
    for (const word of this.#key) hash = Math.imul(hash ^ word, 0x9e3779b1) ^ (hash >>> 15);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  /** A span id is never all zeros, so zero words mark a free slot. */
  #isFree(slot: number): boolean {
    return this.#slots[slot + 4] === 0 && this.#slots[slot + 5] === 0;
  }

  #holds(slot: number): boolean {
    for (let word = 0; word < WORDS_PER_KEY; word++)
      if (this.#slots[slot + word] !== this.#key[word]) return false;
    return true;
  }
}

function readWord(hex: string, from: number): number {
  let word = 0;
  for (let at = from; at < from + 8; at++) word = (word << 4) | (HEX[hex.charCodeAt(at)] ?? 0);
  return word >>> 0;
}
