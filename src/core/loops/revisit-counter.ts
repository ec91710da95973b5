// Counts how often each request got the same answer, over a whole session; the window covers only a few
// rounds. A request and its exact answer are one 24-bit number; a bounded array holds the numbers and their
// counts.

/**
 * Initial and maximum number of pairs. At the maximum, pairs seen once are removed first, then all of them.
 */
const INITIAL_SLOTS = 32;
const MAX_SLOTS = 256;
/** Lookups slow down above this load. */
const MAX_LOAD_FACTOR = 0.75;
const MAX_COUNT = 255;
/** Bits of a slot for the count; the rest identify the pair. */
const COUNT_BITS = 8;

export class RevisitCounter {
  #slots = new Int32Array(INITIAL_SLOTS);
  #size = 0;

  /**
   * Counts a call.
   * @param intent hash of the request; 0 if unknown
   * @param answer hash of the answer; 0 if unknown
   * @returns how often this pair occurred before
   */
  add(intent: number, answer: number): number {
    if (intent === 0 || answer === 0) return 0;
    const pair = (Math.imul(intent, 0x9e3779b1) ^ answer) & ~MAX_COUNT;
    if (this.#size >= MAX_LOAD_FACTOR * this.#slots.length) this.#resize();
    const at = this.#findSlot(pair);
    const before = countOf(this.#slots[at]);
    if (before === 0) this.#size++;
    if (before < MAX_COUNT) this.#slots[at] = pair | (before + 1);
    return before;
  }

  clear(): void {
    this.#slots = new Int32Array(INITIAL_SLOTS);
    this.#size = 0;
  }

  /** The slot of a pair, or the free slot for it. */
  #findSlot(pair: number): number {
    const last = this.#slots.length - 1;
    let at = (pair >>> COUNT_BITS) & last;
    while (this.#slots[at] !== 0 && pairOf(this.#slots[at]) !== pair) at = (at + 1) & last;
    return at;
  }

  #resize(): void {
    const before = this.#slots;
    const grows = before.length < MAX_SLOTS;
    this.#slots = new Int32Array(grows ? before.length * 2 : before.length);
    this.#size = 0;
    for (const slot of before) {
      const stays = grows || (countOf(slot) > 1 && this.#size < (MAX_LOAD_FACTOR * before.length) / 2);
      if (slot === 0 || !stays) continue;
      this.#slots[this.#findSlot(pairOf(slot))] = slot;
      this.#size++;
    }
  }
}

function pairOf(slot = 0): number {
  return slot & ~MAX_COUNT;
}

function countOf(slot = 0): number {
  return slot & MAX_COUNT;
}
