// Where a text can be added to a response that is still bytes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findContentEnd } from '../../../src/core/guard/content-end.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** What stands before the place, or `none`. */
function before(json: string): string {
  const bytes = Buffer.from(json);
  const end = findContentEnd(bytes);
  return end === undefined ? 'none' : bytes.subarray(0, end.at).toString();
}

test.each([
  ['{"id":1,"result":{"content":[1]}}', '{"id":1,"result":{"content":[1', 'the usual order'],
  ['{"result":{"content":[1]},"id":1}', '{"result":{"content":[1', 'another order'],
  [
    ' { "result" : { "a" : [ ] , "content" : [ 1 , 2 ] } } \r\n',
    ' { "result" : { "a" : [ ] , "content" : [ 1 , 2 ',
    'white space',
  ],
  [
    '{"result":{"content":["]","\\"]","\\\\",["]"]]}}',
    '{"result":{"content":["]","\\"]","\\\\",["]"]',
    'brackets in texts',
  ],
  [
    '{"result":{"x":{"content":[0]},"content":[1]}}',
    '{"result":{"x":{"content":[0]},"content":[1',
    'one deeper',
  ],
  ['{"content":[0],"result":{"content":[]}}', '{"content":[0],"result":{"content":[', 'one higher'],
  ['{"r\\u0065sult":{"content":[1]}}', '{"r\\u0065sult":{"content":[1', 'an escaped name'],
  [
    '{"result":{"n":-1.50e+3,"t":true,"content":[1]}}',
    '{"result":{"n":-1.50e+3,"t":true,"content":[1',
    'bare values',
  ],
  ['{"result":{"ü":"ü","content":["ü"]}}', '{"result":{"ü":"ü","content":["ü"', 'more than ASCII'],
  ['{"result":{"content":[1],"content":[2]}}', 'none', 'two lists'],
  ['{"result":{"content":[1]},"r\\u0065sult":{"content":[2]}}', 'none', 'two results'],
  ['{"result":{"content":{"0":1}}}', 'none', 'an object instead'],
  ['{"result":{"content":"[1]"}}', 'none', 'a text instead'],
  ['{"result":{}}', 'none', 'an empty result'],
  ['{"result":[{"content":[1]}]}', 'none', 'a list of results'],
  ['{"error":{"content":[1]}}', 'none', 'an error'],
  ['[{"result":{"content":[1]}}]', 'none', 'a batch'],
  ['{}', 'none', 'nothing'],
  ['', 'none', 'no bytes'],
])('the end of the content in %s is after %s: %s', (json, expected, _what) => {
  expect(before(json)).toBe(expected);
});

describe('insertion into any response', () => {
  const json = fc.jsonValue({ depthSize: 'small' });
  const result = fc
    .dictionary(fc.string(), json)
    .chain((more) => fc.array(json).map((content) => ({ ...more, content })));

  test('a value inserted at the end of the content leaves all else unchanged', () => {
    fc.assert(
      fc.property(
        result,
        fc.dictionary(fc.string(), json),
        fc.integer({ min: 0, max: 3 }),
        (one, more, indent) => {
          const response = { ...more, result: one };
          const bytes = Buffer.from(JSON.stringify(response, undefined, indent));
          const end = findContentEnd(bytes);
          if (end === undefined) throw new Error('no place');
          expect(end.isEmpty).toBe(one.content.length === 0);
          const added = `${bytes.subarray(0, end.at)}${end.isEmpty ? '' : ','}7${bytes.subarray(end.at)}`;
          const expected = { ...response, result: { ...one, content: [...one.content, 7] } };
          expect(JSON.stringify(JSON.parse(added))).toBe(JSON.stringify(expected));
        },
      ),
      { numRuns: propertyRuns({ quick: 100, full: 300 }) },
    );
  });
});
