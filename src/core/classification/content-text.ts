// The words of a tool result: the text an agent would read of it, and the JSON that text may be.

/** UTF-16 units of text that judgement looks at; what decides stands at the beginning. */
const MAX_TEXT_LENGTH = 8192;

/** The text content of a tool result, block by block, at most 8 kB; '' for any other result. */
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

/** The value of a text that is a JSON object; undefined for every other text, cut ones too. */
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
