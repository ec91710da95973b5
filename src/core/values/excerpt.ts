// The part of a long text that is worked on: its first and its last 4 kB. Work per call stays bounded, and both the
// head of a page and the error at the end of a log are seen.

/** UTF-16 units at each end. */
const EXCERPT_END_LENGTH = 4096;

/**
 * First and last 4 kB of a text longer than both together, with the number of units left out between them, so that
 * texts of different length never give one excerpt. Shorter texts come back unchanged.
 */
export function toExcerpt(text: string): string {
  if (text.length <= 2 * EXCERPT_END_LENGTH) return text;
  const head = text.slice(
    0,
    isLowSurrogate(text, EXCERPT_END_LENGTH) ? EXCERPT_END_LENGTH - 1 : EXCERPT_END_LENGTH,
  );
  const start = text.length - EXCERPT_END_LENGTH;
  const tail = text.slice(isLowSurrogate(text, start) ? start + 1 : start);
  return `${head}\n[${text.length - head.length - tail.length} more]\n${tail}`;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
