import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toExcerpt } from '../../../src/core/values/error-template.ts';

describe('excerpt of a text', () => {
  test('the excerpt of a text of up to 8 kB is the text itself', () => {
    expect(toExcerpt('x'.repeat(8192))).toBe('x'.repeat(8192));
  });

  test('the excerpt of a longer text is its first and last 4 kB and the number of missing bytes', () => {
    const text = 'a'.repeat(5000) + 'b'.repeat(5000);
    expect(toExcerpt(text)).toBe(`${'a'.repeat(4096)}\n[1808 more]\n${'b'.repeat(4096)}`);
  });

  test('an excerpt never splits a character', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 }), fc.nat({ max: 2 }), (shift, rest) => {
        const text = toExcerpt(`${'x'.repeat(shift)}${'😀'.repeat(6000)}${'x'.repeat(rest)}`);
        expect(Buffer.from(text).toString()).toBe(text);
      }),
    );
  });

  test('texts of different length have different excerpts', () => {
    expect(toExcerpt('x'.repeat(9000))).not.toBe(toExcerpt('x'.repeat(9001)));
  });
});
