// Hashes of values and the places they stood at, in one typed array: a Map took three times the memory, and its numbers the
// time of the garbage collector.

import type { LeafHash } from './leaf-hash.ts';

/** Words of a slot: two of the hash, the state, the last call that had the value as an argument, and places. */
const SLOT_WORDS = 8;
const STATE = 2;
const ARGUMENT_CALL = 3;
const FIRST_PLACE = 4;
/** Places kept of one value, the latest ones. */
export const MAX_PLACES = 4;
const FIRST_SLOTS = 64;

/**
 * What is known of a value. `known`: the session used it before any result had it. `sourced`: results had it. `common`: it stood at more
 * places than are kept.
 */
export const LEAF_STATES = { known: 1, sourced: 2, common: 3 } as const;

type LeafState = (typeof LEAF_STATES)[keyof typeof LEAF_STATES];

/** A slot is an offset into the words; -1 is none. It is valid until the next `insert`. */
export class LeafTable {
  #words = new Int32Array(FIRST_SLOTS * SLOT_WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  find({ high, low }: LeafHash): number {
    const slot = this.#probe(high, low);
    return this.#words[slot + STATE] === 0 ? -1 : slot;
  }

  insert(hash: LeafHash, state: LeafState): number {
    if (this.#size * SLOT_WORDS * 2 >= this.#words.length) this.#grow();
    const slot = this.#probe(hash.high, hash.low);
    if (this.#words[slot + STATE] === 0) this.#size++;
    this.#words[slot] = hash.high;
    this.#words[slot + 1] = hash.low;
    this.#words[slot + STATE] = state;
    return slot;
  }

  state(slot: number): number {
    return this.#words[slot + STATE] ?? 0;
  }

  setState(slot: number, state: LeafState): void {
    this.#words[slot + STATE] = state;
  }

  /** Number of the last call that had the value as an argument; 0 for none. */
  argumentCall(slot: number): number {
    return this.#words[slot + ARGUMENT_CALL] ?? 0;
  }

  setArgumentCall(slot: number, call: number): void {
    this.#words[slot + ARGUMENT_CALL] = call;
  }

  /** @returns a place number, counted from 1; 0 for none */
  place(slot: number, at: number): number {
    return this.#words[slot + FIRST_PLACE + at] ?? 0;
  }

  setPlace(slot: number, at: number, place: number): void {
    this.#words[slot + FIRST_PLACE + at] = place;
  }

  #probe(high: number, low: number): number {
    const words = this.#words;
    const mask = words.length / SLOT_WORDS - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const slot = at * SLOT_WORDS;
      if (words[slot + STATE] === 0 || (words[slot] === high && words[slot + 1] === low)) return slot;
    }
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Int32Array(before.length * 2);
    for (let from = 0; from < before.length; from += SLOT_WORDS) {
      if (before[from + STATE] === 0) continue;
      const to = this.#probe(before[from] ?? 0, before[from + 1] ?? 0);
      for (let word = 0; word < SLOT_WORDS; word++) this.#words[to + word] = before[from + word] ?? 0;
    }
  }
}
