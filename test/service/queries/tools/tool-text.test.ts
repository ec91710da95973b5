// Pure parts of the tool's page: names, shapes, leaks, windows.
import { describe, expect, test } from 'vitest';
import { findLeaks } from '../../../../src/service/queries/advice/failure-evidence.ts';
import { cutBuckets } from '../../../../src/service/queries/query/call-window.ts';
import { findNearestName } from '../../../../src/service/queries/tools/nearest-name.ts';
import { toPathFacts } from '../../../../src/service/queries/tools/path-facts.ts';

test.each<[string, string | undefined, string]>([
  ['serach_notes', 'search_notes', 'two letters changed places'],
  ['notes_search', 'search_notes', 'the words are the same'],
  ['searchNote', 'search_notes', 'only the spelling differs'],
  ['delete_note', 'delete_notes', 'one letter is missing'],
  ['weather', undefined, 'nothing is like it'],
])('the tool name "%s" is most similar to %s, because %s', (asked, nearest) => {
  expect(findNearestName(asked, ['create_note', 'search_notes', 'delete_notes'])).toBe(nearest);
});

describe('contents of error messages', () => {
  test.each([
    ['TypeError: x is undefined at run (/srv/app/a.js:1:2)', true, true, 'a frame of V8'],
    ['TypeError: <word> is undefined at <word> (<path>:<n>:<n>)', true, true, 'a masked frame'],
    ['Traceback (most recent call last): File "<path>", line <n>', true, true, 'Python'],
    ['cannot open <path>', false, true, 'a masked path'],
    ['cannot open /var/lib/notes.db', false, true, 'a path'],
    ['limit must be at most <n>', false, false, 'no frame begins with "at most"'],
    ['invalid date at position <n>: expected and/or', false, false, 'no path'],
  ])(
    'the message "%s" has a stack trace: %s, and a path: %s, because it is %s',
    (message, stackTrace, path) => {
      expect(findLeaks(message)).toEqual({ stackTrace, path });
    },
  );
});

test('shapes are flattened by path, and each call counts once', () => {
  const facts = toPathFacts([
    { shape: '{"limit":"int","status":"=open","items":[2,{"sku":"string:4"},{"sku":"string:9"}]}', calls: 3 },
    { shape: '{"limit":"string:2","filter":{"deep":true}}', calls: 2 },
    { shape: 'not a shape', calls: 7 },
  ]);
  expect(facts.get('limit')).toMatchObject({ sent: 5, types: { int: 3, string: 2 }, longestText: 2 });
  expect(facts.get('status')).toMatchObject({ sent: 3, values: { open: 3 }, types: { string: 3 } });
  expect(facts.get('items[].sku')).toMatchObject({ sent: 3, longestText: 9 });
  expect(facts.get('filter.deep')).toMatchObject({ sent: 2, types: { boolean: 2 } });
  expect([...facts.keys()].sort()).toEqual([
    'filter',
    'filter.deep',
    'items',
    'items[]',
    'items[].sku',
    'limit',
    'status',
  ]);
});

test.each<[number, ReturnType<typeof cutBuckets>, string]>([
  [100, { fromMs: 1_000, calls: 30, rest: undefined }, 'all of it fits'],
  [20, { fromMs: 2_000, calls: 20, rest: 1_000 }, 'the oldest does not'],
  [19, { fromMs: 3_000, calls: 10, rest: 2_000 }, 'half a bucket is none'],
  [9, { fromMs: Number.POSITIVE_INFINITY, calls: 0, rest: 3_000 }, 'the newest alone is too much'],
])('with three buckets of ten calls a limit of %i is cut to %j, because %s', (most, cut) => {
  const buckets = [3, 2, 1].map((bucket_s) => ({ bucket_s, n: 10 }));
  expect(cutBuckets(buckets, most)).toEqual(cut);
});
