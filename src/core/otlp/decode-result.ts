// What a decoder answers, and the one way it may give up inside.

import type { OtlpSpan } from './span.ts';

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

export type DecodeResult =
  | {
      readonly status: 'decoded';
      readonly spans: OtlpSpan[];
      /** Spans beyond what one request may hold; they were not read. */
      readonly surplusSpans: number;
      /** Texts, lists and nested values that were longer or deeper than is kept. */
      readonly cutValues: number;
    }
  /** So many parts that reading it would take too much memory. */
  | { readonly status: 'too_many_parts'; readonly reason: string }
  | { readonly status: 'malformed'; readonly reason: string };

export const TOO_MANY_ELEMENTS: DecodeResult = {
  status: 'too_many_parts',
  reason: `the body has more than ${MAX_ELEMENTS} parts`,
};

/** Thrown for a document that must not be read whole; caught by the decoder. */
export class TooManyElements extends Error {
  override readonly name = 'TooManyParts';
}

/** Thrown while reading a document, caught by the decoder; its message is safe to send back: it names places, never values. */
export class MalformedDocument extends Error {
  override readonly name = 'MalformedDocument';
}
