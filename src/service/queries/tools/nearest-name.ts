// Finds the most similar name: fewest edits, or most words in common.

/** Minimum similarity of two names; 1 is equal. */
const MIN_SIMILARITY = 0.5;

/** @returns the most similar name, or undefined if none is similar */
export function findNearestName(requested: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, similarity: toSimilarity(requested, name) }))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .sort((one, other) => other.similarity - one.similarity || (one.name < other.name ? -1 : 1));
  return best?.name;
}

/**
 * The higher of two scores from 0 to 1: `serach_notes` is a few edits away, `notes_search` has the same
 * words.
 */
export function toSimilarity(one: string, other: string): number {
  const [short, long] = [one.slice(0, 64).toLowerCase(), other.slice(0, 64).toLowerCase()];
  const longest = Math.max(short.length, long.length, 1);
  return Math.max(1 - computeEditDistance(short, long) / longest, toWordOverlap(one, other));
}

function toWordOverlap(one: string, other: string): number {
  const [words, others] = [splitWords(one), splitWords(other)];
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared / Math.max(1, new Set([...words, ...others]).size);
}

function splitWords(name: string): Set<string> {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return new Set(words.map((word) => word.toLowerCase().replace(/(?<=..)s$/, '')));
}

/** Levenshtein distance over UTF-16 units. */
function computeEditDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
