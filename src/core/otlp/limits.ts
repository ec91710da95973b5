// How much of one span is kept. Beyond a limit a span is cut, never refused: a sender cannot mend what an
// instrumentation library wrote, and a cut attribute must not cost the call its place in the figures.

/** Levels of arrays and objects inside one attribute value; deeper ones become ''. */
export const MAX_VALUE_DEPTH = 16;
/** Attributes of one span, event or resource, and entries of one array or object; later ones are left out. */
export const MAX_ENTRIES = 1024;
/** UTF-16 units of an attribute's name. */
export const MAX_KEY_LENGTH = 256;
/** UTF-16 units of one text. Large on purpose: a tool catalogue travels as one attribute. */
export const MAX_TEXT_LENGTH = 1024 * 1024;
/** Events, and links, of one span. */
export const MAX_EVENTS = 128;
/** UTF-16 units of a span's, an event's or a scope's name. */
export const MAX_NAME_LENGTH = 1024;

/** Cuts a text to at most `length` UTF-16 units. */
export function cutText(text: string, length: number): string {
  return text.length > length ? text.slice(0, length) : text;
}
