import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatRow } from '../../../src/service/ingest/format-row.ts';

describe('formatRow', () => {
  test.each([
    ['plain', 'plain', 'nothing is wrong with it'],
    ['cut \ud83d', 'cut \ufffd', 'the emoji was cut in the middle'],
    ['\udc00 first', '\ufffd first', 'the second half alone is no character either'],
    ['\udc00\ud83d', '\ufffd\ufffd', 'the halves are in the wrong order'],
    ['😀', '😀', 'a whole pair is a character'],
    ['\\ud83d', '\\ud83d', 'a backslash and letters are just that'],
    ['\\\\ud83d', '\\\\ud83d', 'so are two backslashes'],
    ['\\\ud83d', '\\\ufffd', 'the backslash before a half stays'],
    ['\u0000\ud83d', '\u0000\ufffd', 'other escapes stay'],
  ])('a row of the text %j contains %j because %s', (given, stored) => {
    expect(JSON.parse(formatRow({ text: given, [given]: [given] }))).toEqual({
      text: stored,
      [stored]: [stored],
    });
  });

  test('a row is one line of well-formed text that otherwise equals its values', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.integer({ min: 0, max: 0xffff })),
        (text, units) => {
          const row = { text, halves: String.fromCharCode(...units) };
          const line = formatRow(row);
          expect(line.indexOf('\n')).toBe(line.length - 1);
          const halves = Buffer.from(row.halves).toString();
          expect(JSON.parse(line)).toEqual({ text: Buffer.from(text).toString(), halves });
        },
      ),
    );
  });
});
