import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toPrintableLine, toPrintableText } from '../../../src/core/values/printable-text.ts';
import { findHostile, HOSTILE } from '../../support/hostile-text.ts';

const BS = '\\';

describe('printable third-party text', () => {
  test.each<[string, string, string]>([
    ['search_notes', 'search_notes', 'a plain name stays'],
    ['Größe ∑ 日本語 👍 ⚠️', 'Größe ∑ 日本語 👍 ⚠️', 'so do all letters and pictures'],
    ['a::b # ## c:d', 'a::b # ## c:d', 'colons and hashes inside a line are nobody’s command'],
    ['\u001b[31m', `${BS}u001b[31m`, 'escape sequences are shown'],
    ['a\nb\tc', `a${BS}u000ab${BS}u0009c`, 'a line break makes no line'],
    ['\u202egnp', `${BS}u202egnp`, 'so are marks that turn the direction'],
    ['a\u200b\ufeff', `a${BS}u200b${BS}ufeff`, 'and what has no width'],
    ['\u2028\u0085', `${BS}u2028${BS}u0085`, 'and other line breaks'],
    ['\ud800', `${BS}ud800`, 'and half a character'],
    ['\u{e0041}', `${BS}udb40${BS}udc41`, 'and tags, by their units as in JSON'],
    [' ::error::x', ` ${BS}u003a:error::x`, 'a command of GitHub begins a line'],
    ['x ##vso[task]', `x ${BS}u0023#vso[task]`, 'one of Azure stands anywhere'],
    ['##[error]x', `${BS}u0023#[error]x`, 'its short form, too'],
    ['##teamcity[x]', `${BS}u0023#teamcity[x]`, 'and one of TeamCity'],
  ])('%j is printed as %j, because %s', (text, expected) => {
    expect(toPrintableLine(text)).toBe(expected);
  });

  test('printed text contains no active control characters', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(...HOSTILE, ':', '#', '['),
    );
    fc.assert(
      fc.property(fc.array(unit), (characters) => {
        const text = characters.join('');
        expect(findHostile(toPrintableLine(text))).toEqual([]);
        expect(toPrintableLine(text)).not.toContain('\n');
        expect(toPrintableLine(toPrintableLine(text))).toBe(toPrintableLine(text));
        expect(toPrintableText(toPrintableText(text))).toBe(toPrintableText(text));
      }),
    );
  });
});

test('printed JSON is still JSON of the same value', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant(HOSTILE))), (value) => {
      for (const space of [0, 2]) {
        const written = toPrintableText(JSON.stringify(value, null, space));
        expect(findHostile(written).filter((found) => !found.includes('FORGED'))).toEqual([]);
        expect(JSON.parse(written)).toEqual(value);
      }
    }),
  );
});
