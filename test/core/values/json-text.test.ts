import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toResultShape } from '../../../src/core/values/result-text.ts';
import { isJsonText, isShapeText, toShape } from '../../../src/core/values/shape.ts';

const long = JSON.stringify({ rows: Array.from({ length: 2_000 }, (_, id) => ({ id })) });

describe('text that holds JSON', () => {
  test.each<[string, boolean, string]>([
    ['{"a":1}', true, 'it is an object'],
    ['[1, 2]', true, 'it is an array'],
    ['[]', true, 'nothing in an array is still one'],
    ['\n  {\n  "a": 1\n}\n', true, 'space around and within is no matter'],
    ['[-1]', true, 'a number may be negative'],
    [long, true, 'a long one is known by its ends'],
    [`${long} and more`, false, 'a long one has to end as JSON does'],
    ['12', false, 'a number is no structure'],
    ['"note"', false, 'a quoted word is none'],
    ['', false, 'nothing is none'],
    ['{a: 1}', false, 'that is how people write'],
    ['[see](https://example.org) {x}', false, 'a link in Markdown begins with a bracket too'],
    ['{"a":1} {"b":2}', false, 'two objects are none'],
    ['{"a":', false, 'a cut one is none'],
  ])('case %#: the text %j is parsed to %j, because %s', (text, expected) => {
    expect(isJsonText(text)).toBe(expected);
  });

  test('any structure written as JSON is recognised', () => {
    const structure = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(fc.property(structure, (value) => isJsonText(JSON.stringify(value))));
  });

  test('parsed JSON is marked in the shape of a result, and other content is not', () => {
    const content = [
      { type: 'text', text: '{"id":7}' },
      { type: 'text', text: 'seven' },
    ];
    const shape = toResultShape({ content, structuredContent: { raw: '{"id":7}' } }, undefined);
    expect(JSON.parse(shape)).toEqual({
      content: [2, { type: '=text', text: 'json:8' }, { type: '=text', text: 'string:5' }],
      structuredContent: { raw: 'string:8' },
    });
    expect(isShapeText(shape)).toBe(true);
  });

  test.each<[unknown, unknown, string]>([
    [
      [{ type: 'text', text: '{"error":{"code":"LOCKED","recovery":"call unlock_note","retryable":true}}' }],
      { error: { code: 'string:6', recovery: 'string:16', retryable: true } },
      'names are no values',
    ],
    [
      [
        { type: 'text', text: 'Imported:' },
        { type: 'text', text: '{"succeeded":3,"failed":2}' },
      ],
      { succeeded: 'int', failed: 'int:+' },
      'it may follow a sentence',
    ],
    [
      [{ type: 'text', text: '[{"errorCount":0}]' }],
      [1, { errorCount: 'int:0' }],
      'a count of failures is zero or not',
    ],
    [
      [{ type: 'text', text: '{"zqxv":1,"a@b.c":2}' }],
      { '<key>': 'int', '<email>': 'int' },
      'a name may be a value',
    ],
    [[{ type: 'text', text: 'seven' }], undefined, 'words have no structure'],
    [[{ type: 'text', text: long }], undefined, 'a long text is not parsed'],
  ])('the content %j has the structure %j, because %s', (content, expected) => {
    const shape = toResultShape({ content }, undefined);
    expect((JSON.parse(shape) as { textJson?: unknown }).textJson).toEqual(expected);
    expect(isShapeText(shape)).toBe(true);
  });

  test('a failure count of arguments stays a type', () => {
    expect(JSON.parse(toShape({ failed: 2 }))).toEqual({ failed: 'int' });
  });
});
