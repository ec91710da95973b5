// Which tools are replaced by another one of their server, by their names and by what they say.
import { describe, expect, test } from 'vitest';
import { findSupersededTools } from '../../../src/core/advice/superseded-tools.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';

const find = (...tools: readonly (string | ToolDefinition)[]) =>
  findSupersededTools(tools.map((tool) => (typeof tool === 'string' ? { name: tool } : tool)));

describe('superseded tools by name', () => {
  test.each<[string, readonly string[], readonly (readonly [string, string])[]]>([
    ['a version is higher than none', ['search', 'search_v2'], [['search', 'search_v2']]],
    ['camel case has versions too', ['getUser', 'getUserV2'], [['getUser', 'getUserV2']]],
    ['kebab case has versions too', ['get-user', 'get-user-v3'], [['get-user', 'get-user-v3']]],
    ['a tool is called old', ['search', 'search_old'], [['search_old', 'search']]],
    ['a tool is called deprecated', ['deprecated_search', 'search'], [['deprecated_search', 'search']]],
    ['a tool is called legacy', ['legacySearch', 'search'], [['legacySearch', 'search']]],
    [
      'the newest of several versions replaces all others',
      ['search_v1', 'search_v3', 'search_v2'],
      [
        ['search_v1', 'search_v3'],
        ['search_v2', 'search_v3'],
      ],
    ],
    [
      'an old version is older than the plain one',
      ['search_v2_old', 'search'],
      [['search_v2_old', 'search']],
    ],
  ])('%s: %j', (_because, names, expected) => {
    expect(find(...names)).toEqual(
      expected.map(([tool, successor]) => ({ tool, successor, reason: 'name' })),
    );
  });

  test.each<[string, readonly string[]]>([
    ['a version without an earlier one replaces nothing', ['search_v2', 'list']],
    ['the first version is the plain one', ['search', 'search_v1']],
    ['the names differ in more than the version', ['search_notes', 'search_files_v2']],
    ['a word of the name begins with v', ['list_videos', 'list_v']],
    ['the version is the whole name', ['v1', 'v2']],
    ['no current tool goes with an old one', ['clean_old', 'list']],
  ])('nothing is superseded when %s: %j', (_because, names) => {
    expect(find(...names)).toEqual([]);
  });
});

describe('superseded tools by description', () => {
  const deprecated = (name: string, description: string): ToolDefinition => ({ name, description });

  test.each<[string, ToolDefinition, string | undefined]>([
    [
      'its description names the tool to call',
      deprecated('find', 'Deprecated: use lookup_all.'),
      'lookup_all',
    ],
    [
      'its description names none, and its name has a newer version',
      deprecated('search', 'Deprecated.'),
      'search_v2',
    ],
    ['neither says what replaces it', deprecated('purge', '**Deprecated**'), undefined],
    ['its title says so', { name: 'purge', title: 'Purge (deprecated)' }, undefined],
    [
      'the title among its annotations says so',
      { name: 'purge', annotations: { title: 'Deprecated purge' } },
      undefined,
    ],
  ])('a tool is deprecated, %s', (_because, tool, successor) => {
    const others = ['lookup_all', 'search_v2'].filter((name) => name !== tool.name);
    expect(find(tool, ...others)).toEqual([{ tool: tool.name, successor, reason: 'description' }]);
  });

  test('a deprecated version does not replace the plain tool', () => {
    expect(find('search', deprecated('search_v2', 'Deprecated. Call search again.'))).toEqual([
      { tool: 'search_v2', successor: 'search', reason: 'description' },
    ]);
  });
});
