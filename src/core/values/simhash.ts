// A 64-bit SimHash over word 2-grams: near texts differ in few bits. At most about 16 apart is the same page with noise, 20 or
// more is another page. The hash itself has no key, and so the same texts are equally far apart for everybody; a key moves and
// flips its bits, because a bare one could be compared with a guessed text. That hides what a text was from whoever does not
// have the key; who knows some of the texts could work the moves out, and then test guesses as well as with a bare one.

/** Two 32-bit seeds a lane: digits of pi. */
const SEEDS: readonly [number, number, number, number] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];

/**
 * Moves and flips the 64 bits of a hash, the same way each time: distances stay as they are.
 * @param bytes 64 secret bytes or more; their order decides which bit goes where, their lowest bits which are flipped.
 */
export function createBitScrambler(bytes: Uint8Array): (hash: string) => string {
  const order = Array.from({ length: 64 }, (_, bit) => bit);
  // Fisher and Yates, with two bytes for each draw.
  for (let bit = 63; bit > 0; bit--) {
    const other = (((bytes[bit] ?? 0) << 8) | (bytes[63 - bit] ?? 0)) % (bit + 1);
    [order[bit], order[other]] = [order[other] ?? 0, order[bit] ?? 0];
  }
  const flips = Array.from({ length: 64 }, (_, bit) => (bytes[bit] ?? 0) & 1);
  return (hash) => {
    const halves = [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)] as const;
    const moved = [0, 0];
    for (let bit = 0; bit < 64; bit++) {
      const from = order[bit] ?? 0;
      const value = (((from < 32 ? halves[0] : halves[1]) >>> (from & 31)) & 1) ^ (flips[bit] ?? 0);
      const half = bit >>> 5;
      moved[half] = (moved[half] ?? 0) | (value << (bit & 31));
    }
    return moved.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  };
}

const WORD_CHARACTER = 1;
const SINGLE_CHARACTER_WORD = 2;

/** 1: part of a word. 2: a word of its own (CJK and other scripts written without spaces). 0: separates words. */
const CHARACTER_KINDS = createCharacterKinds();

/** Filled by ranges: a function call for each of 65,536 units took 6 ms of every host's start. */
function createCharacterKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000).fill(WORD_CHARACTER);
  kinds.fill(SINGLE_CHARACTER_WORD, 0x2e80, 0xd800);
  for (const [from, to] of [
    [0x80, 0xc0],
    [0x2000, 0x2070],
    [0x3000, 0x3040],
  ] as const)
    kinds.fill(0, from, to);
  for (let unit = 0; unit < 0x80; unit++)
    kinds[unit] = /\w/.test(String.fromCharCode(unit)) ? WORD_CHARACTER : 0;
  return kinds;
}

/**
 * SimHash of a text.
 * @param text already masked; case is ignored. Linear: some 60 ns a bigram.
 * @returns 16 hex digits, the empty text gives sixteen zeros.
 */
export function toSimHash(text: string): string {
  const counts = new Int32Array(64);
  const lower = text.toLowerCase();
  const [seedA, seedB, pairA, pairB] = SEEDS;
  let [a, b, inWord, words] = [seedA, seedB, false, 0];
  let [previousA, previousB] = [pairA, pairB];
  for (let at = 0; at <= lower.length; at++) {
    const unit = at < lower.length ? lower.charCodeAt(at) : 32;
    const kind = CHARACTER_KINDS[unit] ?? 0;
    if (inWord && kind !== WORD_CHARACTER) {
      if (words++ > 0) vote(counts, mix(previousA ^ rotate(a, 5)), mix(previousB ^ rotate(b, 11)));
      [previousA, previousB, a, b, inWord] = [mix(a ^ pairA), mix(b ^ pairB), seedA, seedB, false];
    }
    if (kind === 0) continue;
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(rotate(b, 7) ^ unit, 0x85ebca6b);
    inWord = true;
  }
  // One word has no pair; it stands for itself.
  if (words === 1) vote(counts, previousA, previousB);
  return words === 0 ? '0'.repeat(16) : toHex(counts);
}

function vote(counts: Int32Array, high: number, low: number): void {
  for (let bit = 0; bit < 32; bit++) {
    counts[bit] = (counts[bit] ?? 0) + (((high >>> bit) & 1) << 1) - 1;
    counts[bit + 32] = (counts[bit + 32] ?? 0) + (((low >>> bit) & 1) << 1) - 1;
  }
}

function toHex(counts: Int32Array): string {
  const half = (from: number): string => {
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) if ((counts[from + bit] ?? 0) > 0) bits |= 1 << bit;
    return (bits >>> 0).toString(16).padStart(8, '0');
  };
  return half(0) + half(32);
}

/** MurmurHash3's 32-bit finaliser. */
function mix(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function rotate(hash: number, by: number): number {
  return (hash << by) | (hash >>> (32 - by));
}
