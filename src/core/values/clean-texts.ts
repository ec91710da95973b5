// Remembers short texts in which no secret was found: names, templates and shapes come again with every call, and looking
// through one costs a hundred times what finding it here does. Texts with a secret are never kept.

/** UTF-16 units of a text that is kept, and how many are, before all are forgotten: 2 MB at most. */
const TEXT_LIMIT = 512;
const COUNT_LIMIT = 2048;

/** The same function, which asks its memory first; for functions that give back the text itself if it is clean. */
export function rememberClean(redact: (text: string) => string): (text: string) => string {
  const clean = new Set<string>();
  return (text) => {
    if (text.length > TEXT_LIMIT) return redact(text);
    if (clean.has(text)) return text;
    const redacted = redact(text);
    if (redacted !== text) return redacted;
    if (clean.size >= COUNT_LIMIT) clean.clear();
    clean.add(text);
    return redacted;
  };
}
