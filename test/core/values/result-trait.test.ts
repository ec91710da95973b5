import { describe, expect, test } from 'vitest';
import { toResultTrait } from '../../../src/core/values/result-trait.ts';

describe('trait of a result', () => {
  test.each([
    ['[]', 'empty', 'an empty list'],
    ['', 'empty', 'no text at all'],
    ['0', 'empty', 'a count of nothing'],
    ['""', 'empty', 'an empty text'],
    ['No results found', 'empty', 'in words'],
    ['No issues match your search "login".', 'empty', 'in a sentence'],
    ['(0 rows)', 'empty', 'as a database says it'],
    ['No new output', 'empty', 'there is nothing new'],
    ['{"object":"list","results":[],"has_more":false,"next_cursor":null}', 'empty', 'a list without items'],
    ['{"total":0,"page":1}', 'empty', 'a total of nothing'],
    ['{"data":{"search":{"nodes":[]}}}', 'empty', 'further down'],
    ['{"results":[{"id":1}],"errors":[]}', '', 'one of two lists has an item'],
    [
      '{"id":"a1","tags":[]}',
      'empty',
      'a known weakness: an item with an empty list and nothing else that is a list',
    ],
    ['{"status":"in_progress","id":7}', 'pending', 'a status'],
    ['web-7d  0/1  ContainerCreating  0  9s', 'pending', 'a cell of a table'],
    ['| id | status |\n| --- | --- |\n| 7 | PROVISIONING |', 'pending', 'a cell in capitals'],
    ['| pod | Running |', '', 'a pod as it should be'],
    ['Job 7 is still running (40 % done)', 'pending', 'in words'],
    ['trainer   1/3   2   1   41s', 'pending', 'one of three'],
    ['trainer   3/3   2   1   41s', '', 'three of three'],
    ['{"active":1,"ready":0}', 'pending', 'not ready'],
    [`{"note":"${'x'.repeat(5000)}","status":"ContainerCreating"}`, 'pending', 'at the end of a long object'],
    ['ok', 'done', 'a word'],
    ['Successfully wrote to /a/b.txt', 'done', 'a sentence'],
    ['The record was updated.', 'done', 'and another'],
    ['{"success":true,"message":"stored"}', 'done', 'as a field'],
    ['The weather is fine in Oslo', '', 'it says something'],
    ['available', '', 'so does one word'],
    [`${'pending '.repeat(800)}`, '', 'a long text is about something else'],
  ])('the trait of %j is %j, because %s', (text, expected) => {
    expect(toResultTrait(text)).toBe(expected);
  });

  test('the trait is also read from a structured result', () => {
    expect(toResultTrait('{"items":[]}', { items: [] })).toBe('empty');
  });
});
