// Which filters a table applies, and what happens to the others.

import { expect, test } from 'vitest';
import { toFailureSource } from '../../../../src/service/queries/query/call-source.ts';
import {
  canFilter,
  type Filters,
  omitFilters,
  pickFilters,
  whereFilters,
} from '../../../../src/service/queries/query/filters.ts';

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

test('a loop has several tools, and its version is that of its session', () => {
  expect(whereFilters('loops', { client: 'cursor', tool: 'search', version: '2.0' })).toEqual({
    sql: [
      'client_name = {client:String}',
      'has(tools, {tool:String})',
      '(server_name, session_source, session_id) IN (SELECT server_name, session_source, session_id FROM sessions WHERE server_version = {version:String})',
    ].join(' AND '),
    params: { client: 'cursor', tool: 'search', version: '2.0' },
  });
});

test.each<[Filters, string, Record<string, unknown>, string]>([
  [
    { tool: { only: ['a', 'b'], except: [] } },
    '(tool_name IN {tool_only:Array(String)})',
    { tool_only: ['a', 'b'] },
    'one of several suffices',
  ],
  [
    { tool: { only: ['a', 'b'], except: ['b'] }, code: { only: [], except: [''] } },
    '(tool_name IN {tool_only:Array(String)}) AND NOT (tool_name IN {tool_except:Array(String)}) AND NOT (error_code IN {code_except:Array(String)})',
    { tool_only: ['a', 'b'], tool_except: ['b'], code_except: [''] },
    'an empty text can be excluded',
  ],
])('several values of %j become one condition each, because %s', (filters, sql, params) => {
  expect(whereFilters('calls', filters)).toEqual({ sql, params });
});

test('a loop is excluded if any of its tools is', () => {
  expect(whereFilters('loops', { tool: { only: [], except: ['search'] } }).sql).toBe(
    'NOT (hasAny(tools, {tool_except:Array(String)}))',
  );
});

test('the filters that a table can apply and those that it cannot are together all that are set', () => {
  const filters = { server: 'notes', client: 'cursor', plan: undefined };
  expect(pickFilters('tool_hours', filters)).toEqual({ server: 'notes' });
  expect(omitFilters('tool_hours', filters)).toEqual({ client: 'cursor' });
});

test.each<[Filters, string, string]>([
  [{ plan: 'p' }, 'failed_calls', 'failed calls have a plan'],
  [{ protocol: '2025-06-18' }, 'calls', 'only single calls have a protocol version'],
])('failures with %j are read from %s, because %s', (filters, table, _because) => {
  const source = toFailureSource({ range: { fromMs: 0, toMs: 60_000 }, filters });
  expect(source.table).toBe(table);
  expect(source.where.sql.includes(`fault != 'none'`)).toBe(table === 'calls');
});
