// What was left for another tool by plan, and what was confused with it: by answers, descriptions and arguments.

import { describe, expect, test } from 'vitest';
import {
  listReferrals,
  NOT_FOUND_CODE_PATTERN,
  NOT_FOUND_MESSAGE_PATTERN,
  toConfusionEvidence,
} from '../../../src/core/advice/planned-fallback.ts';
import { tool } from './evidence.ts';

describe('not-found results', () => {
  const code = new RegExp(NOT_FOUND_CODE_PATTERN);
  // RE2 takes the flag in the text, a RegExp of JavaScript beside it.
  const message = new RegExp(NOT_FOUND_MESSAGE_PATTERN.replace('(?i)', ''), 'i');
  test.each([
    [true, 'NOT_FOUND', 'nothing under this key'],
    [true, 'HTTP_404', 'as HTTP says it'],
    [true, 'CACHE_MISS', 'a cache says it so'],
    [true, 'NO_RESULTS', 'a search says it so'],
    [true, 'ENOENT', 'a file system says it so'],
    [false, 'PERMISSION_DENIED', 'it is there, for others'],
    [false, 'HTTP_500', 'nobody knows whether it is there'],
    [false, 'MISSING_ARGUMENT', 'the call is at fault'],
    [false, 'DISMISSED', 'the letters alone prove nothing'],
  ])('whether a result means "not found" is %s with the code %s, because %s', (expected, text) => {
    expect(code.test(text)).toBe(expected);
  });
  test.each([
    [true, 'NOT_FOUND: nothing has these words', 'it says so in words'],
    [true, 'Page <str> is not in the cache', 'a cache says it so'],
    [true, 'No results for <str>', 'a search says it so'],
    [false, 'rate limit reached, no retry before <n> s', 'another "no"'],
    [false, 'query must not be longer than <n>', 'another "not"'],
    [false, '', 'nothing was captured'],
  ])('whether a result means "not found" is %s with the text "%s", because %s', (expected, text) => {
    expect(message.test(text)).toBe(expected);
  });
});

describe('calls to read_cache that were followed by fetch_url', () => {
  const all = { calls: 12, sessions: 6 };
  const nothing = { calls: 0, sessions: 0 };
  const left = { other: 'fetch_url', all, exceptNotFound: nothing, exceptUnrelated: all };
  const describedAs = (cache: string, fetch = 'Fetches a page.') => [
    tool('read_cache', { description: cache }),
    tool('fetch_url', { description: fetch }),
  ];
  const plain = describedAs('Reads a page.');
  const table: readonly (readonly [
    told: string | undefined,
    because: string,
    left: Parameters<typeof toConfusionEvidence>[0],
    tools: Parameters<typeof toConfusionEvidence>[1]['tools'],
  ])[] = [
    [
      undefined,
      'the first sends agents on',
      left,
      describedAs('Reads a page. If it is not cached, use fetch_url.'),
    ],
    [
      undefined,
      'the second says what comes first',
      left,
      describedAs('Reads a page.', 'Fetches a page. Call read_cache first.'),
    ],
    [undefined, 'no argument was carried over', { ...left, exceptUnrelated: nothing }, plain],
    ['12 in 6, 0 planned', 'nobody said so, and the same was asked of both', left, plain],
    [
      '12 in 6, 0 planned',
      'a description that names the other otherwise sends nobody on',
      left,
      describedAs('Reads a page, like fetch_url.'),
    ],
    [
      '12 in 6, 0 planned',
      'a longer name is another tool',
      left,
      describedAs('Reads a page. If it is not cached, use fetch_url_list.'),
    ],
    [
      '4 in 3, 8 planned',
      'four failed for another reason, whatever the description says',
      { ...left, exceptNotFound: { calls: 4, sessions: 3 } },
      describedAs('Reads a page. If it is not cached, use fetch_url.'),
    ],
    ['12 in 6, 0 planned', 'of a server that lists nothing, no description is known', left, []],
  ];
  test.each(table)('the fallback calls are described as %s, because %s', (told, _, one, tools) => {
    const confusion = toConfusionEvidence(one, { tool: 'read_cache', tools });
    expect(confusion && `${confusion.calls} in ${confusion.sessions}, ${confusion.planned} planned`).toBe(
      told,
    );
  });
});

test('a description that sends agents on is a referral, and one that only mentions a tool is none', () => {
  const described = (name: string, description: string) => tool(name, { description });
  const tools = [
    described('read_cache', 'Reads a page. If it is not cached, use fetch_page.'),
    described('fetch_page', 'Fetches a page. Faster pages: read_cache.'),
  ];
  expect(listReferrals(tools)).toEqual([{ tool: 'read_cache', other: 'fetch_page' }]);
});
