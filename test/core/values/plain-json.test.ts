import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_HASHERS, toBoundedCopy } from '../../../src/core/values/bounded-copy.ts';
import { toCanonicalText } from '../../../src/core/values/canonical-text.ts';
import { readPlainObject } from '../../../src/core/values/plain-json.ts';

const anyValue = fc.anything({
  withBigInt: true,
  withDate: true,
  withNullPrototype: true,
  withUnicodeString: true,
  maxDepth: 4,
});
const anyObject = fc.dictionary(fc.string({ unit: 'binary' }), anyValue, { noNullPrototype: true });

describe('plain JSON', () => {
  test('the text, its size and its members are those of the bounded copy', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.oneof(anyObject, fc.jsonValue()), (value) => {
        const plain = readPlainObject(value);
        if (plain === undefined) return;
        read += 1;
        const bounded = toBoundedCopy(value, NO_HASHERS);
        expect(plain.text).toBe(toCanonicalText(bounded.value));
        expect(Buffer.byteLength(plain.text)).toBe(bounded.bytes);
        const members = Object.entries(bounded.value as object).map(([name, item]) => ({
          name,
          text: toCanonicalText(item),
        }));
        expect(plain.members).toEqual(members);
      }),
      { numRuns: 2_000 },
    );
    expect(read).toBeGreaterThan(200);
  });

  test('a hole in a list is null, as in JSON', () => {
    expect(readPlainObject({ list: new Array(2) })?.text).toBe('{"list":[null,null]}');
  });

  test('an ordinary request is read', () => {
    const value = { query: 'a "b"', limit: 10, filter: { tags: ['x', null, 1.5e300], open: true } };
    expect(readPlainObject(value)?.text).toBe(
      '{"filter":{"open":true,"tags":["x",null,1.5e+300]},"limit":10,"query":"a \\"b\\""}',
    );
  });

  test.each<[string, unknown]>([
    ['an array is no object', []],
    ['a long string stands as its hash', { text: 'x'.repeat(9_000) }],
    ['many rows take longer than a step', { rows: Array.from({ length: 900 }, (_, id) => ({ id })) }],
    ['an object says itself what JSON it is', { at: new Date(0) }],
    ['base64 stands as its hash', { content: [{ type: 'image', data: 'aGk=' }] }],
    ['a number is no JSON', { limit: Number.NaN }],
    [
      'a getter throws',
      {
        get broken(): never {
          throw new Error('no');
        },
      },
    ],
  ])('a value is left to the bounded copy when %s', (_, value) => {
    expect(readPlainObject(value)).toBeUndefined();
  });

  test('a cycle is left to the bounded copy', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    expect(readPlainObject(value)).toBeUndefined();
  });

  test('a nonce is seen at any depth', () => {
    expect(readPlainObject({ a: [{ request_id: 'x' }] })?.hasNonce).toBe(true);
    expect(readPlainObject({ a: [{ query: 'x' }] })?.hasNonce).toBe(false);
  });
});
