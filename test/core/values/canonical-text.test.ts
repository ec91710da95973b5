import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCanonicalText } from '../../../src/core/values/canonical-text.ts';

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

const cycle: Record<string, unknown> = { a: 1 };
cycle['self'] = cycle;
function ofThrowingGetter(): object {
  return {
    get a(): never {
      throw new Error('mine');
    },
  };
}
const nested = (depth: number): unknown => (depth === 0 ? 0n : [nested(depth - 1)]);

describe('canonical text', () => {
  test.each<[unknown, string, string]>([
    [{ b: 1, a: [true, null] }, '{"a":[true,null],"b":1}', 'keys are sorted'],
    [{ a: 1e21, b: 10.0 }, '{"a":1e+21,"b":10}', 'numbers are spelled as ECMAScript does'],
    [{ a: undefined, b: 1 }, '{"b":1}', 'undefined is no JSON and left out'],
    [undefined, 'null', 'there is always a text'],
    [{ b: 2n, a: 1 }, '{"a":1,"b":2}', 'a BigInt is its digits'],
    [{ a: Number.NaN, b: Number.POSITIVE_INFINITY }, '{"a":"[NaN]","b":"[Infinity]"}', 'no JSON, yet stable'],
    [cycle, '{"a":1,"self":"[cycle]"}', 'a cycle ends'],
    [{ b: '\ud800', a: 1 }, '{"a":1,"b":"\\ud800"}', 'a lone surrogate is escaped'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"', 'toJSON is honoured'],
  ])('the canonical text of %o is %s, because %s', (value, expected) => {
    expect(toCanonicalText(value)).toBe(expected);
  });

  test('a getter that throws does not break the canonical text', () => {
    expect(toCanonicalText(ofThrowingGetter())).toBe('"[unreadable]"');
  });

  test('the canonical text ends at a maximum depth instead of overflowing the stack', () => {
    expect(toCanonicalText(nested(200))).toContain('"[deep]"');
  });

  test('the canonical text does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toCanonicalText(shuffled(value))).toBe(toCanonicalText(value));
      }),
    );
  });

  test('the canonical text parses as the same JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(toCanonicalText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('the canonical text never throws', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
        (value) => {
          expect(typeof toCanonicalText(value)).toBe('string');
        },
      ),
    );
  });
});
