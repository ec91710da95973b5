// Chance that can be repeated: one seed, one story. (Processes still interleave as they like; the seed repeats what is done
// to them and when, not what they do.)

export interface WeightedRandom {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  /** One of the choices, by weight. */
  pick<T>(choices: readonly (readonly [weight: number, choice: T])[]): T;
}

/** Mulberry32: 32 bits of state, plenty for a few thousand choices. */
export function createWeightedRandom(seed: number): WeightedRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (min, most) => min + Math.floor(next() * (most - min + 1)),
    pick: (choices) => {
      let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, choice] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      throw new RangeError('Nothing to pick from.');
    },
  };
}
