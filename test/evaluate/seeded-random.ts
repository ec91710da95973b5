// The draws that made sessions are made of, all from one seed.
import { createMulberry32 } from '../support/random.ts';

export interface SeededRandom {
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  /** With two decimals. */
  amount(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** So many of them, each at most once, in any order. */
  some<T>(choices: readonly T[], count: number): T[];
  digits(count: number): string;
  hex(count: number): string;
  uuid(): string;
  /** So many values, no two equal. */
  distinct(count: number, make: () => string): string[];
}

/** Makes the dice of one session. */
export function createSeededRandom(seed: number): SeededRandom {
  const next = createMulberry32(Math.imul(seed + 1, 0x9e3779b1));
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const spell = (count: number, max: number) =>
    Array.from({ length: count }, () => between(0, max).toString(16)).join('');
  return {
    between,
    chance: (probability) => next() < probability,
    amount: (min, max) => Math.round((min + next() * (max - min)) * 100) / 100,
    pick: (choices) => choices[between(0, choices.length - 1)]!,
    some: (choices, count) => sampleSome(choices, count, next),
    digits: (count) => `${between(1, 9)}${spell(count - 1, 9)}`,
    hex: (count) => spell(count, 15),
    uuid: () => `${spell(8, 15)}-${spell(4, 15)}-4${spell(3, 15)}-a${spell(3, 15)}-${spell(12, 15)}`,
    distinct: sampleDistinct,
  };
}

/** The first steps of a Fisher–Yates shuffle. */
function sampleSome<T>(choices: readonly T[], count: number, next: () => number): T[] {
  const left = [...choices];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    const at = Math.floor(next() * left.length);
    drawn.push(left[at]!);
    left[at] = left.at(-1)!;
    left.pop();
  }
  return drawn;
}

function sampleDistinct(count: number, make: () => string): string[] {
  const drawn = new Set<string>();
  for (let tries = 0; drawn.size < count; tries++) {
    if (tries > 1000 * count) throw new RangeError('There are not so many different values.');
    drawn.add(make());
  }
  return [...drawn];
}
