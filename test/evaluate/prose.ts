// Sentences, names and values of made records.
import type { SeededRandom } from './seeded-random.ts';
import type { FieldKind } from './words.ts';
import { COMMON_WORDS, FAMILY_NAMES, FIRST_NAMES, NOUNS, PLACES } from './words.ts';

/** So many words, as a sentence. */
export function sentence(dice: SeededRandom, count: number): string {
  const words = Array.from({ length: count }, () => dice.pick(dice.chance(0.3) ? NOUNS : COMMON_WORDS));
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** About so many bytes of sentences. */
export function passage(dice: SeededRandom, bytes: number): string {
  const sentences: string[] = [];
  for (let remainingBytes = bytes; remainingBytes > 0; ) {
    const next = sentence(dice, dice.between(6, 16));
    sentences.push(next);
    remainingBytes -= next.length + 1;
  }
  return sentences.join(' ');
}

/** A day of 2025 or 2026. */
export function sampleDay(dice: SeededRandom): string {
  return new Date(Date.UTC(2025, dice.between(0, 20), dice.between(1, 28))).toISOString().slice(0, 10);
}

/** A value such as a field of that kind holds. */
export function fieldValue(
  kind: FieldKind,
  dice: SeededRandom,
  { states, textBytes }: { readonly states: readonly string[]; readonly textBytes: number },
): string | number {
  switch (kind) {
    case 'name':
      return dice.some(NOUNS, 2).join(' ');
    case 'person':
      return `${dice.pick(FIRST_NAMES)} ${dice.pick(FAMILY_NAMES)}`;
    case 'place':
      return dice.pick(PLACES);
    case 'number':
      return dice.between(0, 900);
    case 'amount':
      return dice.amount(1, 2500);
    case 'date':
      return sampleDay(dice);
    case 'state':
      return dice.pick(states);
    case 'text':
      return passage(dice, textBytes);
  }
}
