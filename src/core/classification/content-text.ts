// The text content of a tool result, and the JSON it may contain.

/** Maximum length that classification reads, in UTF-16 units. */
const MAX_TEXT_LENGTH = 8192;

/** The text content, at most 8 kB; '' for any other result. */
export function toContentText(result: unknown): string {
  if (typeof result !== 'object' || result === null || !('content' in result)) return '';
  if (!Array.isArray(result.content)) return '';
  let text = '';
  for (const block of result.content.slice(0, 50)) {
    const part: unknown =
      typeof block === 'object' && block !== null && 'text' in block ? block.text : undefined;
    if (typeof part !== 'string') continue;
    text += (text === '' ? '' : '\n') + part.slice(0, MAX_TEXT_LENGTH);
    if (text.length >= MAX_TEXT_LENGTH) break;
  }
  return text.slice(0, MAX_TEXT_LENGTH);
}

/** The value of a text that is a JSON object. */
export function parseJsonObject(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return undefined;
  try {
    return JSON.parse(trimmed);
  } catch {
    // It only looked like JSON.
    return undefined;
  }
}
