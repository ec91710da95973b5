// Whether a text is a JSON object or array written out: a fact of its kind, which says nothing of what it holds. A number or a
// quoted word is JSON too, but nobody squeezed a structure into it.

/** UTF-16 units that are parsed: 4 kB take 20 µs. A longer text is known by its ends. */
const PARSE_LIMIT = 4096;
/** Looked at before the first bracket and after the last: nobody indents further. */
const SPACE_LIMIT = 64;

const OPENS = /^\s*(?:\{\s*(?:"|\})|\[\s*(?:["{[\]\d-]|true\b|false\b|null\b))/;
const CLOSES = /[}\]]\s*$/;

/** Exact up to 4,096 units; beyond, a text that begins and ends as JSON does is taken for it. Never throws. */
export function holdsJson(text: string): boolean {
  if (!OPENS.test(text.slice(0, SPACE_LIMIT)) || !CLOSES.test(text.slice(-SPACE_LIMIT))) return false;
  if (text.length > PARSE_LIMIT) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Brackets around something else.
    return false;
  }
}
