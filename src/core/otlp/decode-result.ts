// What a decoder answers, and the one way it may give up inside.

import type { OtlpSpan } from './span.ts';

export type DecodeResult =
  | { readonly status: 'decoded'; readonly spans: OtlpSpan[] }
  | { readonly status: 'malformed'; readonly reason: string };

/** Thrown while reading a document, caught by the decoder; its message is safe to send back: it names places, never values. */
export class MalformedDocument extends Error {
  override readonly name = 'MalformedDocument';
}
