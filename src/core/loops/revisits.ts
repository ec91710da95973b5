// Which calls of a session were answered before, and how often: a whole session long, where the window is only as long as a
// few rounds. A request and its exact answer are one number; two bounded arrays hold the numbers and their counts.

/** Pairs remembered at first and at most; then those seen once are forgotten, and if that is not enough all of them. */
const FIRST_SLOTS = 32;
const MOST_SLOTS = 256;
/** Filled further, looking a pair up takes longer. */
const FULL = 0.75;
const MOST_COUNTED = 255;

export class Revisits {
  #keys = new Int32Array(FIRST_SLOTS);
  #counts = new Uint8Array(FIRST_SLOTS);
  #size = 0;

  /**
   * Counts a call.
   * @param intent what it asked for; 0 is not known
   * @param answer what came back; 0 is not known
   * @returns how often the same was asked and answered before
   */
  add(intent: number, answer: number): number {
    if (intent === 0 || answer === 0) return 0;
    const key = (Math.imul(intent, 0x9e3779b1) ^ answer) | 0 || 1;
    if (this.#size >= FULL * this.#keys.length) this.#makeRoom();
    const slot = this.#slotOf(key);
    const before = this.#counts[slot] ?? 0;
    if (before === 0) {
      this.#keys[slot] = key;
      this.#size++;
    }
    if (before < MOST_COUNTED) this.#counts[slot] = before + 1;
    return before;
  }

  clear(): void {
    this.#keys = new Int32Array(FIRST_SLOTS);
    this.#counts = new Uint8Array(FIRST_SLOTS);
    this.#size = 0;
  }

  #slotOf(key: number): number {
    const last = this.#keys.length - 1;
    let slot = (key >>> 7) & last;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & last;
    return slot;
  }

  #makeRoom(): void {
    const grows = this.#keys.length < MOST_SLOTS;
    const [keys, counts] = [this.#keys, this.#counts];
    const again = keys.some((_, at) => (counts[at] ?? 0) > 1);
    this.#keys = new Int32Array(grows ? keys.length * 2 : keys.length);
    this.#counts = new Uint8Array(this.#keys.length);
    this.#size = 0;
    for (let at = 0; at < keys.length; at++) {
      const [key = 0, count = 0] = [keys[at], counts[at]];
      const stays = grows || (again && count > 1 && this.#size < (FULL * keys.length) / 2);
      if (key === 0 || !stays) continue;
      const slot = this.#slotOf(key);
      this.#keys[slot] = key;
      this.#counts[slot] = count;
      this.#size++;
    }
  }
}
