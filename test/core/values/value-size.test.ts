import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateSize } from '../../../src/core/values/value-size.ts';

const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}`, on: true, tags: ['a', 'b'] }));

test.each<[string, unknown]>([
  ['a long text', { content: [{ type: 'text', text: 'abc '.repeat(50_000) }] }],
  ['rows', { structuredContent: { rows: rows(5_000) } }],
  ['lists in lists', Array.from({ length: 50 }, () => rows(50))],
  ['many names', Object.fromEntries(rows(5_000).map((row) => [`key ${row.id}`, row]))],
])('the size of %s is estimated within a quarter', (_what, value) => {
  const exact = JSON.stringify(value).length;
  expect(Math.abs(estimateSize(value).jsonBytes / exact - 1)).toBeLessThan(0.25);
});

test('the size of any value that a host supplies is a number', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const hostile = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('mine');
      },
    },
  );
  for (const value of [cycle, hostile]) expect(estimateSize(value).heapBytes).toBeGreaterThan(0);
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (value) => {
      const { jsonBytes, heapBytes } = estimateSize(value);
      expect(Number.isFinite(jsonBytes) && Number.isFinite(heapBytes)).toBe(true);
    }),
  );
});
