import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCsvLine } from '../../../src/service/api/csv.ts';

describe('CSV cell', () => {
  test.each<[string, string, string]>([
    ['search_notes', 'search_notes', 'it is a name'],
    ['1-2=3', '1-2=3', 'it begins as no formula does'],
    ['=1+1', "'=1+1", 'it is a formula'],
    ['-1', "'-1", 'so is a sign'],
    ['@SUM(A1)', "'@SUM(A1)", 'Lotus begins them so'],
    ['\n=1', '"\n\'=1"', 'a line break is left out'],
    [' \u00a0=1', "' \u00a0=1", 'blanks are left out'],
    ['\u200b=1', "'\u200b=1", 'what has no width is left out'],
    ['\u202e\u2060\ufeff=1', "'\u202e\u2060\ufeff=1", 'and marks of direction'],
    ['\u0000=1', "'\u0000=1", 'and controls'],
    ['＝1', "'＝1", 'it is = in full width'],
    ['＋1', "'＋1", 'it is + in full width'],
    ['－1', "'－1", 'it is - in full width'],
    ['＠SUM', "'＠SUM", 'it is @ in full width'],
    ['x;=1', '"x;\'=1"', 'a semicolon is a separator in half of Europe'],
    ['x\t=1', '"x\t\'=1"', 'so may be a tab'],
    ['x\r\n=1', '"x\r\n\'=1"', 'a line may begin a row where quotes are not read'],
    ['x,y', '"x,y"', 'a comma is quoted'],
    ['a "word"', '"a ""word"""', 'quotes are doubled'],
    ['"=1', '"\'""=1"', 'a quote before it may be taken away'],
  ])('the CSV cell of %j is %j, because %s', (value, cell) => {
    expect(formatCsvLine([value])).toBe(`${cell}\r\n`);
  });

  test('no CSV cell begins with a formula, whatever separator the reading program uses', () => {
    const unit = fc.constantFrom(...'=+-@＝＠;,\t\r\n"\' ab', '\u200b', '\u00a0', '\u202e');
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 12 }), { minLength: 1, maxLength: 3 }), (cells) => {
        const line = formatCsvLine(cells);
        for (const part of line.split(/[;\t\r\n]/))
          expect(part).not.toMatch(/^[\s\u200b\u202e]*[=+\-@＝＠]/u);
      }),
    );
  });

  test('the CSV cell of a number stays a number', () => {
    expect(formatCsvLine([-1, 2.5, null, undefined, true])).toBe('-1,2.5,,,true\r\n');
  });
});
