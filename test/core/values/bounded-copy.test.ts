import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countJsonBytes, toBoundedCopy } from '../../../src/core/values/bounded-copy.ts';
import { toCanonicalText } from '../../../src/core/values/canonical-text.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import { toPayloadText } from '../../../src/core/values/payload-text.ts';
import { toShape } from '../../../src/core/values/shape.ts';

const { fingerprint } = createFingerprinter(new Uint8Array(32).fill(1));
const hashes = { text: fingerprint, binary: fingerprint };
const textOf = (value: unknown): string => toCanonicalText(toBoundedCopy(value, hashes).value);
const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}`, on: true }));

describe('bounded copy', () => {
  test('a value of ordinary size is copied unchanged, and its bytes are counted exactly', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(textOf(value)).toBe(toCanonicalText(value));
        expect(countJsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
      }),
    );
  });

  test.each<[unknown, unknown, boolean, string]>([
    ['x'.repeat(9000), 'x'.repeat(9000), true, 'the same long text is the same'],
    [
      'x'.repeat(9000),
      `${'x'.repeat(4500)}y${'x'.repeat(4499)}`,
      false,
      'a long text is known by its hash, middle and all',
    ],
    [{ type: 'image', data: 'AAAA' }, { type: 'image', data: 'AAAB' }, false, 'so is an image'],
    [rows(5000), rows(5001), false, 'a long list tells its length'],
    [Array(5000).fill('x'), Array(5001).fill('x'), false, 'whatever is in it'],
    [rows(5000), rows(5000), true, 'and is stable'],
  ])('whether the copies of %j and %j are equal is %s: %s', (a, b, expected) => {
    expect(textOf(a) === textOf(b)).toBe(expected);
  });

  test.each<[string, unknown, number]>([
    [
      'a thousand names of 50 kB',
      Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`${'k'.repeat(50_000)}${at}`, at])),
      100_000,
    ],
    ['5,000 names', Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key ${at}`, at])), 20_000],
    [
      'objects of many names',
      Array.from({ length: 400 }, (_, at) =>
        Object.fromEntries(Array.from({ length: 400 }, (_, key) => [`${at} ${key}`, key])),
      ),
      100_000,
    ],
  ])('the copy of %s is small', (_what, value, units) => {
    expect(textOf(value).length).toBeLessThan(units);
  });

  test('the names of a large object are listed once, however often it is copied', () => {
    let listings = 0;
    const target = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key ${at}`, at]));
    const watched = new Proxy(target, {
      ownKeys(of) {
        listings += 1;
        return Reflect.ownKeys(of);
      },
    });
    expect(textOf(watched)).toBe(textOf(target));
    countJsonBytes(watched);
    toShape(watched);
    toPayloadText(watched, 'full');
    expect(listings).toBe(1);
  });

  test('the base64 data of an image is not copied', () => {
    const value = { content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] };
    expect(textOf(value)).not.toContain('iVBORw0KGgo');
  });

  test('the text of a megabyte of rows is truncated, and its size is estimated within 10 %', () => {
    const value = { rows: rows(25_000) };
    const exact = Buffer.byteLength(JSON.stringify(value));
    expect(exact).toBeGreaterThan(900_000);
    expect(textOf(value).length).toBeLessThan(150_000);
    expect(Math.abs(countJsonBytes(value) / exact - 1)).toBeLessThan(0.1);
  });

  test('copying never throws, whatever value a host supplies', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (value) => {
          expect(typeof textOf(value)).toBe('string');
        },
      ),
    );
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('mine');
        },
      },
    );
    expect(textOf({ hostile })).toBe('{"hostile":"[unreadable]"}');
  });
});
