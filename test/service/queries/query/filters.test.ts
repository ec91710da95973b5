// Which filters a table applies, and what happens to the others.

import { expect, test } from 'vitest';
import { canFilter, type Filters, whereFilters } from '../../../../src/service/queries/query/filters.ts';

test('filters become conditions with typed parameters, and an empty text is a filter', () => {
  expect(whereFilters('calls', { server: 'notes', code: '', client: undefined })).toEqual({
    sql: 'server_name = {server:String} AND error_code = {code:String}',
    params: { server: 'notes', code: '' },
  });
});

test('a filter that a table does not have is a compile error and is refused by name', () => {
  // @ts-expect-error the hours have no client
  expect(() => whereFilters('tool_hours', { server: 'notes', client: 'cursor' })).toThrowError(
    expect.objectContaining({
      code: 'INVALID_PARAMETER',
      field: 'client',
      message: 'Filter "client" cannot be applied here. Allowed are server, environment, tool.',
      hint: 'Leave "client" out.',
    }),
  );
});

test.each<[Filters, boolean, string]>([
  [{}, true, 'there is no filter'],
  [{ server: 'a', tool: 'b' }, true, 'the hours have both columns'],
  [{ client: undefined }, true, 'an absent filter is none'],
  [{ client: '' }, false, 'an empty client is a filter'],
  [{ plan: 'p' }, false, 'only single calls have a plan'],
])('%j can be applied to the hours: %s, because %s', (filters, expected, _because) => {
  expect(canFilter('tool_hours', filters)).toBe(expected);
});
