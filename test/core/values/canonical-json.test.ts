// Our RFC 8785 beside the package that is the usual one: the same bytes of everything, and an error wherever it has one.
import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCanonicalJson } from '../../../src/core/values/canonical-text.ts';
import { propertyRuns } from '../../support/property-runs.ts';

function textOf(write: (value: unknown) => string | undefined, value: unknown): string | undefined {
  try {
    return write(value);
  } catch {
    return 'an error';
  }
}
function same(value: unknown): void {
  expect(textOf(toCanonicalJson, value)).toBe(textOf(canonicalize, value));
}

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

describe('canonical JSON', () => {
  test('the text equals that of the reference package for every JSON value', async () => {
    await fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), same), {
      numRuns: propertyRuns({ quick: 400, full: 2_000 }),
    });
  });

  test('the text equals that of the reference package for every other value', async () => {
    const anything = fc.anything({
      ...{ withBigInt: true, withDate: true, withMap: true, withSparseArray: true, withTypedArray: true },
      ...{ withNullPrototype: true, maxDepth: 4 },
    });
    await fc.assert(fc.property(anything, same), { numRuns: propertyRuns({ quick: 400, full: 2_000 }) });
  });

  test('the text equals that of the reference package for any UTF-16', async () => {
    await fc.assert(fc.property(fc.string({ unit: 'binary' }), same), {
      numRuns: propertyRuns({ quick: 400, full: 2_000 }),
    });
    await fc.assert(
      fc.property(fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 6 }), (units) =>
        same({ [String.fromCharCode(...units)]: String.fromCharCode(...units) }),
      ),
      { numRuns: propertyRuns({ quick: 400, full: 2_000 }) },
    );
  });

  test.each<[unknown, string]>([
    [{ b: 1, a: [undefined, Symbol('x'), () => 1] }, 'arrays keep their places'],
    [
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7 },
      'the order of the RFC',
    ],
    [[1e21, 333333333.3333333, 1e-27, 4.5, 2e-3, -0], 'the numbers of the RFC'],
    [cyclic, 'a cycle'],
    [{ a: 1n }, 'a BigInt'],
    [{ toJSON: () => ({ z: 1, y: Number.NaN }) }, 'NaN behind toJSON'],
    [undefined, 'nothing'],
    ['\ud800', 'a lone surrogate'],
  ])('the text of %o equals that of the reference package: %s', (value) => same(value));
});
