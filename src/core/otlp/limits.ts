// How much of one span is kept, and how much one request may hold. Beyond a limit a span is cut and the cut is told, but
// it is never refused: a sender cannot mend what an instrumentation library wrote, and a cut attribute must not cost the
// call its place in the figures. Spans beyond what one request may hold are refused and counted: a sender can mend that.

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

/** Spans of one request, four times what the OpenTelemetry Collector sends at once; the rest is rejected. */
export const MAX_SPANS = 32_768;
/** Messages or objects inside of each other in one request: about thirty for each span. Each takes 100 to 200 bytes. */
export const MAX_ELEMENTS = 1_000_000;

/** Cuts a text to at most `length` UTF-16 units. */
export function truncateText(text: string, maxLength: number): string {
  return text.length > maxLength ? text.slice(0, maxLength) : text;
}
