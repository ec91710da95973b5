import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toExcerpt } from '../../../src/core/values/error-template.ts';

describe('the excerpt', () => {
  test('of a text of up to 8 kB is the text', () => {
    expect(toExcerpt('x'.repeat(8192))).toBe('x'.repeat(8192));
  });

  test('of a longer text is its first and last 4 kB and what is missing', () => {
    const text = 'a'.repeat(5000) + 'b'.repeat(5000);
    expect(toExcerpt(text)).toBe(`${'a'.repeat(4096)}\n[1808 more]\n${'b'.repeat(4096)}`);
  });

  test('never cuts a character in half', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 }), fc.nat({ max: 2 }), (shift, rest) => {
        const text = toExcerpt(`${'x'.repeat(shift)}${'😀'.repeat(6000)}${'x'.repeat(rest)}`);
        expect(Buffer.from(text).toString()).toBe(text);
      }),
    );
  });

  test('of texts of different length differs', () => {
    expect(toExcerpt('x'.repeat(9000))).not.toBe(toExcerpt('x'.repeat(9001)));
  });
});
