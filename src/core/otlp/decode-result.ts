// What a decoder answers, and the one way it may give up inside.

import { MAX_ELEMENTS } from './limits.ts';
import type { OtlpSpan } from './span.ts';

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
