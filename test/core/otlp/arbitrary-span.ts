// Spans of every kind of value, and the same spans as a protobuf request: what the property tests of this room draw from.
import fc from 'fast-check';
import protobuf from 'protobufjs/light.js';
import { type AttributeValue, type OtlpSpan, SPAN_KINDS } from '../../../src/core/otlp/span.ts';
import { TRACE_DESCRIPTOR } from '../../../src/core/otlp/trace-descriptor.ts';

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const micros = fc.integer({ min: 0, max: 4_102_444_800_000_000 });
const number = fc
  .oneof(fc.maxSafeInteger(), fc.double({ noNaN: true }))
  .map((value) => (value === 0 ? 0 : value));

const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const attributes = fc.dictionary(text, value, { maxKeys: 4, noNullPrototype: true });

export const arbitrarySpan: fc.Arbitrary<OtlpSpan> = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: fc.oneof(fc.constant(''), hex(16)),
  name: text,
  kind: fc.constantFrom(...SPAN_KINDS),
  startUs: micros,
  endUs: micros,
  attributes,
  events: fc.array(fc.record({ name: text, atUs: micros, attributes }), { maxLength: 2 }),
  links: fc.array(fc.record({ traceId: hex(32), spanId: hex(16) }), { maxLength: 2 }),
  status: fc.record({ code: fc.constantFrom(0 as const, 1 as const, 2 as const), message: text }),
  scope: fc.record({ name: text, version: text }),
  resource: attributes,
});

const REQUEST = protobuf.Root.fromJSON(TRACE_DESCRIPTOR).lookupType('ExportTraceServiceRequest');

/** The JSON document as protobuf bytes; protobufjs itself reads the JSON, so the two decoders have no code in common here. */
export function toProtobuf(json: string): Uint8Array {
  const document = JSON.parse(json, (key, field) =>
    /^(trace|span|parentSpan)Id$/.test(key) ? Buffer.from(field, 'hex') : field,
  );
  return REQUEST.encode(REQUEST.fromObject(document)).finish();
}
