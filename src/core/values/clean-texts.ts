// Remembers short texts in which no secret was found: names, templates and shapes come again with every call, and looking
// through one costs a hundred times what finding it here does. Texts with a secret are never kept.

/** UTF-16 units of a text that is kept, and how many are, before all are forgotten: 2 MB at most. */
const MAX_CACHED_TEXT_LENGTH = 512;
const MAX_CACHED_TEXTS = 2048;

/** The same function, which asks its memory first; for functions that give back the text itself if it is clean. */
export function cacheCleanTexts(redact: (text: string) => string): (text: string) => string {
  const clean = new Set<string>();
  return (text) => {
    if (text.length > MAX_CACHED_TEXT_LENGTH) return redact(text);
    if (clean.has(text)) return text;
    const redacted = redact(text);
    if (redacted !== text) return redacted;
    if (clean.size >= MAX_CACHED_TEXTS) clean.clear();
    clean.add(text);
    return redacted;
  };
}
