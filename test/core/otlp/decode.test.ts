import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeTracesJson } from '../../../src/core/otlp/decode-json.ts';
import { decodeTracesProtobuf } from '../../../src/core/otlp/decode-protobuf.ts';
import type { DecodeResult } from '../../../src/core/otlp/decode-result.ts';
import { MAX_ENTRIES, MAX_KEY_LENGTH, MAX_TEXT_LENGTH } from '../../../src/core/otlp/decode-result.ts';
import { encodeTracesJson } from '../../../src/core/otlp/encode-json.ts';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import { arbitrarySpan, toProtobuf } from './arbitrary-span.ts';

function spansOf(result: DecodeResult): OtlpSpan[] {
  if (result.status !== 'decoded') throw new Error(JSON.stringify(result));
  return result.spans;
}

const document = (span: object) =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: 's' }, spans: [span] }] }] });
const only = (span: object) => spansOf(decodeTracesJson(document(span)))[0]!;
const readBack = (value: unknown) => only({ attributes: [{ key: 'k', value }] }).attributes['k'];

/** Grouping by resource and scope may move spans between groups; inside one group order is kept. */
const sorted = (spans: readonly OtlpSpan[]) => spans.map((span) => JSON.stringify(span)).sort();

describe('OTLP as JSON', () => {
  test('every encoded span is decoded unchanged', () => {
    fc.assert(
      fc.property(fc.array(arbitrarySpan, { maxLength: 4 }), (spans) => {
        expect(sorted(spansOf(decodeTracesJson(encodeTracesJson(spans))))).toEqual(sorted(spans));
      }),
    );
  });

  test('each field of a span is decoded', () => {
    fc.assert(
      fc.property(arbitrarySpan, (span) => {
        expect(spansOf(decodeTracesJson(encodeTracesJson([span])))).toEqual([span]);
      }),
    );
  });

  test.each<[unknown, unknown, string]>([
    [{ stringValue: '' }, '', 'an empty text is a value'],
    [{ intValue: 5 }, 5, 'the JavaScript SDK sends a number'],
    [{ intValue: '5' }, 5, 'proto3 JSON sends digits'],
    [{ intValue: '-9223372036854775808' }, '-9223372036854775808', 'beyond 2^53 the digits are kept'],
    [{ doubleValue: 2.5 }, 2.5, 'plain'],
    [{ doubleValue: '-Infinity' }, Number.NEGATIVE_INFINITY, 'JSON has no such number'],
    [{ boolValue: false }, false, 'false is a value'],
    [{ bytesValue: 'AQI=' }, 'AQI=', 'bytes stay base64'],
    [{ arrayValue: {} }, [], 'values left out are empty'],
    [
      { arrayValue: { values: [{ intValue: 1 }, {}] } },
      [1, ''],
      'an element without a value keeps its place',
    ],
    [{ kvlistValue: { values: [{ key: 'a', value: { boolValue: true } }] } }, { a: true }, 'plain'],
    [{}, undefined, 'an attribute without a value is left out'],
    [{ stringValue: null, intValue: 3 }, 3, 'null is "not set"'],
    [{ futureValue: 1 }, undefined, 'an unknown kind is skipped'],
  ])('the value %j is decoded as %j, because %s', (value, expected, _because) => {
    expect(readBack(value)).toEqual(expected);
  });

  test.each<[unknown, number, string]>([
    ['1764000000123456789', 1_764_000_000_123_456, 'digits lose nothing above a microsecond'],
    ['18446744073709551615', 18_446_744_073_709_552, 'the largest time does not overflow'],
    ['999', 0, 'less than a microsecond'],
    [1_764_000_000_000_000_000, 1_764_000_000_000_000, 'some emitters send a number'],
    [undefined, 0, 'absent'],
  ])('the time %s is decoded as %d µs, because %s', (nanos, expected, _because) => {
    expect(only({ startTimeUnixNano: nanos }).startUs).toBe(expected);
  });

  test('a malformed id is kept in lower case for the ingest to reject', () => {
    expect(only({ traceId: 'ABC', spanId: 'xyz' })).toMatchObject({ traceId: 'abc', spanId: 'xyz' });
  });

  test('a key called __proto__ is treated as data', () => {
    const { attributes } = only({ attributes: [{ key: '__proto__', value: { stringValue: 'x' } }] });
    expect(Object.keys(attributes)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test.each([
    ['{"resourceSpans":[', 'the body is not valid JSON'],
    ['', 'the body is not valid JSON'],
    ['secret-word', 'the body is not valid JSON'],
    ['[]', 'document: expected an object'],
    ['null', 'document: expected an object'],
    ['{"resourceSpans":{}}', 'resourceSpans: expected an array'],
    ['{"resourceSpans":[[]]}', 'resourceSpans[]: expected an object'],
    ['{"resourceSpans":[{"resource":[]}]}', 'resource: expected an object'],
    ['{"resourceSpans":[{"scopeSpans":[{"spans":{}}]}]}', 'spans: expected an array'],
    [document({ name: 5 }), 'span.name: expected a string'],
    [document({ kind: 'server' }), 'span.kind: expected an integer'],
    [document({ traceId: 5 }), 'span.traceId: expected hex digits'],
    [
      document({ startTimeUnixNano: 'soon' }),
      'span.startTimeUnixNano: expected nanoseconds as decimal digits',
    ],
    [document({ startTimeUnixNano: -1 }), 'span.startTimeUnixNano: expected nanoseconds as decimal digits'],
    [document({ attributes: { a: 1 } }), 'span.attributes: expected an array'],
    [document({ attributes: [{ key: 'k', value: 'v' }] }), 'span.attributes.value: expected an object'],
    [
      document({ attributes: [{ key: 'k', value: { intValue: 1.5 } }] }),
      'span.attributes.value: expected an integer',
    ],
    [
      document({ attributes: [{ key: 'k', value: { boolValue: 1 } }] }),
      'span.attributes.value: expected a boolean',
    ],
    [
      document({ attributes: [{ key: 'k', value: { arrayValue: [] } }] }),
      'span.attributes.value: expected an object',
    ],
  ])('%s is refused with the message %s', (body, reason) => {
    expect(decodeTracesJson(body)).toEqual({ status: 'malformed', reason });
  });

  test('an empty request is accepted', () => {
    expect(decodeTracesJson('{}')).toEqual({ status: 'decoded', spans: [], surplusSpans: 0, cutValues: 0 });
  });

  test('the JSON decoder never throws for any input', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => void decodeTracesJson(body)));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        decodeTracesJson(JSON.stringify({ resourceSpans: [{ resource: a, scopeSpans: [{ spans: [b] }] }] }));
        decodeTracesJson(
          document({ attributes: [{ key: 'k', value: a }], status: b, events: [a], links: [b] }),
        );
      }),
    );
  });
});

describe('OTLP as protobuf', () => {
  test('a document gives the same result as protobuf and as JSON', () => {
    fc.assert(
      fc.property(fc.array(arbitrarySpan, { maxLength: 3 }), (spans) => {
        const json = encodeTracesJson(spans);
        expect(decodeTracesProtobuf(toProtobuf(json))).toEqual(decodeTracesJson(json));
      }),
    );
  });

  test('times are decoded to the microsecond', () => {
    const json = document({
      startTimeUnixNano: '1764000000123456789',
      endTimeUnixNano: '1764000001999999999',
    });
    expect(spansOf(decodeTracesProtobuf(toProtobuf(json)))[0]).toMatchObject({
      startUs: 1_764_000_000_123_456,
      endUs: 1_764_000_001_999_999,
    });
  });

  test.each(['-9223372036854775808', '9223372036854775807', '9007199254740993'])(
    'all digits of %s are kept',
    (intValue) => {
      const bytes = toProtobuf(document({ attributes: [{ key: 'k', value: { intValue } }] }));
      expect(spansOf(decodeTracesProtobuf(bytes))[0]?.attributes).toEqual({ k: intValue });
    },
  );

  test('an empty body is an empty request', () => {
    expect(decodeTracesProtobuf(new Uint8Array())).toEqual({
      status: 'decoded',
      spans: [],
      surplusSpans: 0,
      cutValues: 0,
    });
  });

  test('every proper prefix that cuts a field is refused', () => {
    const bytes = toProtobuf(document({ name: 'tools/call', traceId: 'ab'.repeat(16) }));
    for (let length = 1; length < bytes.length; length += 1) {
      expect(decodeTracesProtobuf(bytes.subarray(0, length)).status, `${length} bytes`).toBe('malformed');
    }
  });

  test('the protobuf decoder never throws for any input', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void decodeTracesProtobuf(bytes)));
    const good = toProtobuf(document({ name: 'n', attributes: [{ key: 'k', value: { intValue: 1 } }] }));
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, byte) => {
        decodeTracesProtobuf(Uint8Array.from(good).fill(byte, at, at + 1));
      }),
    );
  });
});

describe('OTLP limits', () => {
  const attribute = (key: string, value: object) => ({ attributes: [{ key, value }] });
  const nest = (levels: number): object =>
    levels === 0 ? { stringValue: 'deep' } : { arrayValue: { values: [nest(levels - 1)] } };

  test('a long text is truncated', () => {
    const cut = only(attribute('k', { stringValue: 'x'.repeat(MAX_TEXT_LENGTH + 1) })).attributes['k'];
    expect(String(cut)).toHaveLength(MAX_TEXT_LENGTH);
  });

  test('a long key is truncated', () => {
    const [key] = Object.keys(only(attribute('k'.repeat(5000), { boolValue: true })).attributes);
    expect(key).toHaveLength(MAX_KEY_LENGTH);
  });

  test('attributes beyond the limit are dropped, and the span is kept', () => {
    const many = Array.from({ length: MAX_ENTRIES + 5 }, (_, at) => ({
      key: `k${at}`,
      value: { intValue: at },
    }));
    const span = only({ name: 'kept', attributes: many });
    expect(span.name).toBe('kept');
    expect(Object.keys(span.attributes)).toHaveLength(MAX_ENTRIES);
  });

  test('deep values are cut at the same depth in both encodings', () => {
    const json = document(attribute('k', nest(40)));
    const text = JSON.stringify(spansOf(decodeTracesJson(json))[0]?.attributes['k']);
    expect(text).toBe(`${'['.repeat(16)}""${']'.repeat(16)}`);
    expect(decodeTracesProtobuf(toProtobuf(json))).toEqual(decodeTracesJson(json));
  });

  test('an extremely deep value neither throws nor hangs', () => {
    const levels = 100_000;
    const deep = `${'{"arrayValue":{"values":['.repeat(levels)}${']}}'.repeat(levels)}`;
    const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"n","attributes":[{"key":"k","value":${deep}}]}]}]}]}`;
    expect(spansOf(decodeTracesJson(body))[0]?.name).toBe('n');
  });
});
