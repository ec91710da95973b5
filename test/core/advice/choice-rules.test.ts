// The rules about what an agent has to choose: values, actions, options and tools (TD043 to TD050).
import { describe, expect, test } from 'vitest';
import { lintTools } from '../../../src/core/advice/lint-tools.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import { tool, withArgument } from './evidence.ts';

type Row = readonly [
  rule: string,
  tools: readonly ToolDefinition[],
  expected: readonly string[],
  because: string,
];

const describedAs = (name: string, description: string, over: Partial<ToolDefinition> = {}) =>
  tool(name, { description, ...over });
const withArguments = (name: string, properties: object, over: Partial<ToolDefinition> = {}) =>
  tool(name, { inputSchema: { type: 'object', properties }, ...over });
const priority = (description: string, over: object = {}) =>
  withArgument('add_task', 'priority', { type: 'string', description, ...over });
const action = (...values: string[]) =>
  withArgument('manage_notes', 'action', { type: 'string', enum: values });
const sql = (over: Partial<ToolDefinition> = {}) =>
  withArguments('execute_query', { sql: { type: 'string', description: 'SQL to execute' } }, over);
const options = (schema: object) =>
  withArgument('draw_chart', 'options', { type: 'object', description: 'Options of the chart', ...schema });
const setting = (schema: object) =>
  tool('set_setting', {
    inputSchema: {
      type: 'object',
      properties: { setting: { type: 'string', ...schema }, value: { type: 'string' } },
      required: ['setting', 'value'],
    },
  });
const inId = { inputSchema: { type: 'object', properties: { id: { type: 'string' } } } };
const byQuery = { inputSchema: { type: 'object', properties: { query: { type: 'string' } } } };
const closed = { annotations: { openWorldHint: false } };

const ROWS: readonly Row[] = [
  ['TD043', [priority('Priority (low, medium or high)')], ['add_task priority'], 'the brackets are a choice'],
  ['TD043', [priority("'low' | 'high'")], ['add_task priority'], 'quoted words are values'],
  ['TD043', [priority('Priority: low or high.')], ['add_task priority'], 'the list ends the sentence'],
  ['TD043', [priority('Priority (low, medium or high)', { enum: ['low'] })], [], 'the schema lists them'],
  ['TD043', [priority('Priority (e.g. low or high)')], [], 'they are examples'],
  ['TD043', [priority('Priority (low, medium, high, etc.)')], [], 'the list goes on'],
  ['TD043', [priority("Priority (ascending or descending). Use 'asc'.")], [], 'the value is another word'],
  ['TD043', [priority('Must be one of "low", "high"')], [], 'TD008 has it'],
  [
    'TD043',
    [withArgument('get_issue', 'issue', { type: 'string', description: 'The issue (key or ID)' })],
    [],
    'a key and an ID are no values',
  ],
  [
    'TD043',
    [withArgument('upload', 'file_path', { type: 'string', description: 'An image (PNG, JPG or GIF)' })],
    [],
    'a path is none of the words',
  ],

  ['TD044', [action('list', 'get', 'delete')], ['manage_notes action'], 'list reads and delete deletes'],
  ['TD044', [action('list', 'get')], [], 'both read'],
  ['TD044', [action('create', 'delete')], [], 'both change'],
  ['TD044', [action('list', 'open')], [], 'what opening does is not known'],
  ['TD044', [action('create', 'delete_preview')], [], 'both change: a preview is what is deleted'],
  [
    'TD044',
    [withArgument('create_request', 'method', { type: 'string', enum: ['GET', 'POST', 'DELETE'] })],
    [],
    'methods of HTTP are noted, not done',
  ],
  [
    'TD044',
    [withArgument('list_events', 'event', { type: 'string', enum: ['get', 'delete'] })],
    [],
    'the argument is no action',
  ],

  ['TD045', [sql()], ['execute_query sql'], 'nothing says whether it may write'],
  ['TD045', [sql({ annotations: { readOnlyHint: true } })], [], 'the hint says it'],
  ['TD045', [sql({ description: 'Runs a SELECT statement.' })], [], 'the description says it'],
  [
    'TD045',
    [withArguments('search', { query: { type: 'string', description: 'Words to look for' } })],
    [],
    'the query is no SQL',
  ],

  ['TD046', [options({})], ['draw_chart options'], 'nothing names a key'],
  ['TD046', [options({ properties: { title: { type: 'string' } } })], [], 'a key is declared'],
  ['TD046', [options({ additionalProperties: false })], [], 'it takes no key'],
  ['TD046', [options({ description: 'Options, e.g. a title' })], [], 'a key is named'],
  [
    'TD046',
    [withArgument('send', 'headers', { type: 'object', description: 'Headers to send' })],
    [],
    'the keys of headers are the caller’s',
  ],
  ['TD046', [setting({})], ['set_setting setting'], 'nothing names a setting'],
  ['TD046', [setting({ enum: ['theme'] })], [], 'the settings are listed'],
  ['TD046', [setting({ description: 'Name, e.g. theme' })], [], 'a setting is named'],

  [
    'TD047',
    [describedAs('get_report', 'The report.', inId), describedAs('get_report_details', 'More.', inId)],
    ['get_report'],
    'details may be in both',
  ],
  [
    'TD047',
    [
      describedAs('get_report', 'Like get_report_details, but short.', inId),
      describedAs('get_report_details', 'More.', inId),
    ],
    [],
    'the one names the other',
  ],
  [
    'TD047',
    [describedAs('get_report', 'The report.', inId), describedAs('get_order', 'The order.', inId)],
    [],
    'their objects differ',
  ],
  [
    'TD047',
    [describedAs('get_report', 'The report.', inId), describedAs('delete_report', 'No more.', inId)],
    [],
    'their verbs differ',
  ],
  [
    'TD047',
    [describedAs('get_report', 'The report.', inId), describedAs('get_report_details', 'More.', byQuery)],
    [],
    'their arguments tell them apart',
  ],

  [
    'TD048',
    [describedAs('search_notes', 'Searches.', byQuery), describedAs('find_notes', 'Finds.', byQuery)],
    ['search_notes'],
    'which of them is better nobody says',
  ],
  [
    'TD048',
    [
      describedAs('search_notes', 'Use it when words are known.', byQuery),
      describedAs('find_notes', 'Finds.', byQuery),
    ],
    [],
    'the one says when',
  ],
  [
    'TD048',
    [describedAs('search_notes', 'Searches.', byQuery), describedAs('list_notes', 'Lists.')],
    [],
    'only the one takes words',
  ],

  [
    'TD049',
    [describedAs('validate_file', 'Validates a file.')],
    ['validate_file'],
    'is it a list or a word?',
  ],
  ['TD049', [describedAs('validate_file', 'Returns the problems.')], [], 'the problems come back'],
  ['TD049', [describedAs('validate_file', 'Checks whether it is valid.')], [], 'yes or no comes back'],
  ['TD049', [describedAs('get_file', 'Gets a file.')], [], 'the file comes back'],
  [
    'TD049',
    [describedAs('validate_file', 'Validates a file.', { outputSchema: { type: 'object' } })],
    [],
    'the output schema says it',
  ],

  ['TD050', [describedAs('web_search', 'Searches the web.', closed)], ['web_search'], 'the web is open'],
  ['TD050', [describedAs('navigate_menu', 'Opens a menu.', closed)], [], 'it takes no address'],
  [
    'TD050',
    [withArguments('scrape', { url: { type: 'string' } }, closed)],
    ['scrape'],
    'it reads whatever address it is given',
  ],
  ['TD050', [describedAs('web_search', 'Searches the web.')], [], 'without a hint the world is open'],
  ['TD050', [describedAs('search_notes', 'Searches notes.', closed)], [], 'notes are its own'],
];

describe('rules about choices', () => {
  test.each(
    ROWS.map(([rule, tools, expected, because]) => ({
      ...{ rule, tools, expected, because },
      names: tools.map(({ name }) => name).join(' '),
    })),
  )('the rule $rule on $names reports $expected because $because', ({ rule, tools, expected }) => {
    const found = lintTools(tools, { pedantic: true }).filter((finding) => finding.rule === rule);
    expect(found.map(({ tool: name, argument }) => [name, argument].filter(Boolean).join(' '))).toEqual(
      expected,
    );
  });

  test('each finding has names, a suggestion, and edits of listed tools', () => {
    for (const [, tools] of ROWS) {
      for (const { evidence, suggestion, rule } of lintTools(tools, { pedantic: true })) {
        expect([rule, { ...evidence.counts, ...evidence.names }]).not.toEqual([rule, {}]);
        expect(suggestion.text).toMatch(/[.?!]$/);
        for (const edit of suggestion.edits) {
          expect(tools.map(({ name }) => name)).toContain(edit.tool);
          expect(edit.pointer).toMatch(/^(?:\/[^/]+)+$/);
        }
      }
    }
  });
});
