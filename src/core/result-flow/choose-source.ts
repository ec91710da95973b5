// Which of the fields that had a value an argument was taken from. A value that says little counts only where the names of both
// sides speak of the same thing.

import type { FieldPath } from './field-path.ts';
import { isDay, isOrdinaryText, type LeafKind } from './leaf-kind.ts';
import { sharesWord } from './name-words.ts';
import type { Place } from './session-values.ts';

/** A value of an argument and where it stands. */
export interface ArgumentLeaf {
  readonly text: string;
  readonly kind: LeafKind;
  readonly isNumber: boolean;
  readonly path: FieldPath;
  /** The nouns of the path, or of the tool where the path says only `id`. */
  readonly nouns: ReadonlySet<string>;
}

/** The best of the places; of equally good ones the latest. Undefined if none will do. */
export function chooseSource(
  leaf: ArgumentLeaf,
  places: readonly Place[],
  { isCommon }: { readonly isCommon: boolean },
): Place | undefined {
  const isWeak = leaf.kind === 'weak' || (!leaf.isNumber && isOrdinaryText(leaf.text));
  let best: Place | undefined;
  let bestScore = -1;
  for (const place of places) {
    const isNamed = isNamedAlike(leaf, place);
    if (isWeak ? !isWeakMatch(leaf, place, isNamed) : isCommon && !isNamed) continue;
    const score = toScore(leaf, place, isNamed);
    const isBetter = score > bestScore || (score === bestScore && isLater(place, best));
    if (!isBetter) continue;
    best = place;
    bestScore = score;
  }
  return best;
}

function isNamedAlike({ nouns }: ArgumentLeaf, { path, call }: Place): boolean {
  return sharesWord(nouns, path.nouns) || sharesWord(nouns, call.toolNouns);
}

function isWeakMatch(leaf: ArgumentLeaf, { path }: Place, isNamed: boolean): boolean {
  if (isDay(leaf.text)) return isSameName(leaf.path, path);
  if (!isNamed) return false;
  return leaf.isNumber || /^\d+$/.test(leaf.text)
    ? path.words.isIdentifier && leaf.path.words.isIdentifier
    : path.words.isNaming;
}

function toScore({ path: to }: ArgumentLeaf, { path }: Place, isNamed: boolean): number {
  return (isSameName(to, path) ? 2 : 0) + (isNamed ? 2 : 0) + (path.words.isNaming ? 1 : 0);
}

function isSameName(a: FieldPath, b: FieldPath): boolean {
  return a.name !== '' && a.name.toLowerCase() === b.name.toLowerCase();
}

function isLater(a: Place, b: Place | undefined): boolean {
  return b === undefined || a.call.endedAtMs > b.call.endedAtMs;
}
