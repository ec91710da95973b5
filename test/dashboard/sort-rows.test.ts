// The order of a table's rows.
import { describe, expect, test } from 'vitest';
import { sortRows } from '../../dashboard/src/components/sort-rows.ts';

const rows = [
  { name: 'b', calls: 10 },
  { name: 'a', calls: null },
  { name: 'ä', calls: 9 },
  { name: 'c', calls: 10 },
];
const columns = [
  { id: 'name', sort: ({ name }: (typeof rows)[number]) => name },
  { id: 'calls', sort: ({ calls }: (typeof rows)[number]) => calls },
  { id: 'drawn' },
];

describe('sorted rows', () => {
  test.each([
    ['calls', 'äbca', 'numbers go by size, equal ones stay as they came, what has none is last'],
    ['-calls', 'bcäa', 'turned round, what has none is last still'],
    ['name', 'aäbc', 'names go by the alphabet and not by code point'],
    ['-name', 'cbäa', 'the other way round'],
    [undefined, 'baäc', 'nobody sorts'],
    ['gone', 'baäc', 'an address may name a column that is no more'],
    ['drawn', 'baäc', 'not every column sorts'],
  ])('rows sorted by %s are %s because %s', (sort, expected, _because) => {
    const names = sortRows(rows, { columns, sort }).map(({ name }) => name);
    expect(names.join('')).toBe(expected);
  });
});
