// Chance that can be repeated: the same seed gives the same simulated calls.

export interface Dice {
  /** From 0 up to and without 1. */
  next(): number;
  chance(share: number): boolean;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** A duration whose logarithm is normal around the median, with the long tail of real latencies. */
  spread(median: number): number;
  /** Lowercase hex digits of so many bytes. */
  hex(bytes: number): string;
}

/** @param seed any text; different texts give independent chances */
export function createDice(seed: string): Dice {
  const next = createMulberry32(hashText(seed));
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (values) => values[between(0, values.length - 1)] ?? values[0],
    spread: (median) => median * Math.exp(0.45 * normal(next)),
    hex: (bytes) =>
      Array.from({ length: bytes }, () => between(0, 255).toString(16).padStart(2, '0')).join(''),
  };
}

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

function createMulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Box and Muller 1958. */
function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}
