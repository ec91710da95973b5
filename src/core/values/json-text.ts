// Whether a text is a JSON object or array written out: a fact of its kind, which says nothing of what it holds. A number or a
// quoted word is JSON too, but nobody squeezed a structure into it.

/** UTF-16 units that are parsed: 4 kB take 20 µs. A longer text is known by its ends. */
const MAX_PARSED_LENGTH = 4096;
/** Looked at before the first bracket and after the last: nobody indents further. */
const MAX_INDENT_LENGTH = 64;

const JSON_START = /^\s*(?:\{\s*(?:"|\})|\[\s*(?:["{[\]\d-]|true\b|false\b|null\b))/;
const JSON_END = /[}\]]\s*$/;

/** Exact up to 4,096 units; beyond, a text that begins and ends as JSON does is taken for it. Never throws. */
export function isJsonText(text: string): boolean {
  if (!JSON_START.test(text.slice(0, MAX_INDENT_LENGTH)) || !JSON_END.test(text.slice(-MAX_INDENT_LENGTH)))
    return false;
  if (text.length > MAX_PARSED_LENGTH) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Brackets around something else.
    return false;
  }
}
