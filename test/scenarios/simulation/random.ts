// The same fortnight on every run: a small generator with a seed (mulberry32), and the few draws that scripts make.

export interface SimulationRandom {
  /** From 0 up to, and without, 1. */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  hex(digits: number): string;
  uuid(): string;
}

export function createSimulationRandom(seed: number): SimulationRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => between(0, 15).toString(16)).join('');
  return {
    next,
    chance: (probability) => next() < probability,
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  };
}
