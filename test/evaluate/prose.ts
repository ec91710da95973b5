// Sentences, names and values of made records.
import type { Dice } from './dice.ts';
import type { FieldKind } from './words.ts';
import { FAMILIES, PERSONS, PLACES, SPOKEN, THINGS } from './words.ts';

/** So many words, as a sentence. */
export function sentence(dice: Dice, count: number): string {
  const words = Array.from({ length: count }, () => dice.pick(dice.chance(0.3) ? THINGS : SPOKEN));
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** About so many bytes of sentences. */
export function passage(dice: Dice, bytes: number): string {
  const said: string[] = [];
  for (let left = bytes; left > 0; ) {
    const next = sentence(dice, dice.between(6, 16));
    said.push(next);
    left -= next.length + 1;
  }
  return said.join(' ');
}

/** A day of 2025 or 2026. */
export function someDay(dice: Dice): string {
  return new Date(Date.UTC(2025, dice.between(0, 20), dice.between(1, 28))).toISOString().slice(0, 10);
}

/** A value such as a field of that kind holds. */
export function fieldValue(
  kind: FieldKind,
  dice: Dice,
  { states, textBytes }: { readonly states: readonly string[]; readonly textBytes: number },
): string | number {
  switch (kind) {
    case 'name':
      return dice.some(THINGS, 2).join(' ');
    case 'person':
      return `${dice.pick(PERSONS)} ${dice.pick(FAMILIES)}`;
    case 'place':
      return dice.pick(PLACES);
    case 'number':
      return dice.between(0, 900);
    case 'amount':
      return dice.amount(1, 2500);
    case 'date':
      return someDay(dice);
    case 'state':
      return dice.pick(states);
    case 'text':
      return passage(dice, textBytes);
  }
}
