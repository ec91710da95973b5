// Matchers on labels, and the patterns in them against JavaScript's own regular expressions.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findPattern,
  matchesLabels,
  parseMatcher,
} from '../../../../src/service/alerts/routing/label-matcher.ts';

describe('parseMatcher', () => {
  test.each([
    ['server="notes"', { name: 'server', value: 'notes', isEqual: true, isRegex: false }, 'it is quoted'],
    [
      'server != notes',
      { name: 'server', value: 'notes', isEqual: false, isRegex: false },
      'quotes may be left out',
    ],
    ['tool=~"add_.*"', { name: 'tool', value: 'add_.*', isEqual: true, isRegex: true }, 'it is a pattern'],
    ['tool!~a|b', { name: 'tool', value: 'a|b', isEqual: false, isRegex: true }, 'it is a pattern'],
    ['code="a\\"b"', { name: 'code', value: 'a"b', isEqual: true, isRegex: false }, 'a quote is escaped'],
    ['tool=~"("', undefined, 'the pattern is malformed'],
    ['tool=~"(?=a)"', undefined, 'RE2 has no lookahead'],
    ['tool=~"(a)\\\\1"', undefined, 'RE2 has no back-references'],
    ['tool', undefined, 'it has no operator'],
    ['9a=b', undefined, 'it is no name of a label'],
  ])('%s is %j because %s', (text, matcher, _because) => {
    expect(parseMatcher(text)).toEqual(matcher);
  });
});

describe('matchesLabels', () => {
  const labels = { server: 'notes', tool: 'add_note' };
  test.each([
    ['tool=~"add_.*"', true, 'the pattern matches the whole value'],
    ['tool=~"add"', false, 'a part is not enough'],
    ['tool!~"move|delete"', true, 'none of them matches'],
    ['code=""', true, 'an absent label is an empty one'],
    ['code=~".+"', false, 'an absent label is an empty one'],
  ])('%s is %s because %s', (text, expected) => {
    const matcher = parseMatcher(text);
    expect(matcher && matchesLabels(labels, [matcher])).toBe(expected);
  });
});

describe('patterns', () => {
  const piece = fc.oneof(
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '\\.'),
    fc.constantFrom('a*', 'b+', '.?', '[ab]{1,2}', '(ab)*', '(?:a|b)+', '(a|ab)(c|bcd)?', 'b{2}'),
  );
  const pattern = fc.array(fc.array(piece, { maxLength: 4 }), { minLength: 1, maxLength: 3 });

  test('a pattern matches what the same regular expression of JavaScript matches', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.string({ unit: fc.constantFrom(...'abcd1.'), maxLength: 8 }),
        (branches, text) => {
          const source = branches.map((pieces) => pieces.join('')).join('|');
          expect(findPattern(source)?.(text)).toBe(new RegExp(`^(?:${source})$`, 's').test(text));
        },
      ),
    );
  });

  test('a pattern that makes a backtracking engine stall is decided at once', () => {
    const started = performance.now();
    expect(findPattern('(a+)+b')?.('a'.repeat(256))).toBe(false);
    expect(findPattern('(.*)*(.*)*(.*)*x')?.('a'.repeat(256))).toBe(false);
    // Backtracking takes longer than the universe is old.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
