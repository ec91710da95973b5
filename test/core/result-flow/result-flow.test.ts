import { describe, expect, test } from 'vitest';
import { parseArgumentSources, parseResultFields } from '../../../src/core/model/argument-origin.ts';
import { linesOfLast, originsOfLast, playSession, type SessionCall, toSpanId } from './play-session.ts';

const USERS = {
  items: [{ id: 'usr_81a2f3', name: 'Ada Byron', age: 36, url: 'https://x.example/u/ada-b-1815' }],
};
const search: SessionCall = { tool: 'search_users', arguments: { query: 'ada' }, result: USERS };

interface Row {
  readonly what: string;
  readonly first: SessionCall;
  readonly next: SessionCall;
  readonly lines: readonly string[];
  readonly because: string;
}

const get = (args: object, more: Partial<SessionCall> = {}): SessionCall => ({
  tool: 'get_user',
  arguments: args,
  ...more,
});
const found = (result: unknown, tool = 'search_users'): SessionCall => ({ tool, result });

const ROWS: readonly Row[] = [
  {
    what: 'an id of a structured result',
    first: search,
    next: get({ user_id: 'usr_81a2f3' }),
    lines: ['user_id <- search_users.items[].id'],
    because: 'the same text of ten characters stood nowhere else',
  },
  {
    what: 'an id in JSON that is sent as text',
    first: found(JSON.stringify(USERS)),
    next: get({ user_id: 'usr_81a2f3' }),
    lines: ['user_id <- search_users.items[].id'],
    because: 'most servers send their JSON so',
  },
  {
    what: 'an id in a sentence',
    first: found('Created user usr_81a2f3.'),
    next: get({ user_id: 'usr_81a2f3' }),
    lines: ['user_id <- search_users.text'],
    because: 'a word with digits is an id',
  },
  {
    what: 'an id that stands in a URL of the result',
    first: search,
    next: get({ handle: 'ada-b-1815' }),
    lines: ['handle <- search_users.items[].url'],
    because: 'a URL is searched by its segments',
  },
  {
    what: 'an id that the argument has inside a URL',
    first: search,
    next: get({ uri: 'app://users/usr_81a2f3/posts' }),
    lines: ['uri <- search_users.items[].id (part)'],
    because: 'a part of the argument is the value',
  },
  {
    what: 'another case and blanks',
    first: search,
    next: get({ user_id: ' USR_81A2F3 ' }),
    lines: ['user_id <- search_users.items[].id'],
    because: 'models copy ids so',
  },
  {
    what: 'a number as a string, with a sign before it',
    first: found({ issue_number: 48_213 }),
    next: get({ issue: '#48213' }),
    lines: ['issue <- search_users.issue_number'],
    because: 'the number is the same',
  },
  {
    what: 'a small number whose names agree',
    first: found({ users: [{ id: 7 }] }),
    next: get({ user_id: 7 }),
    lines: ['user_id <- search_users.users[].id'],
    because: 'both are ids of a user',
  },
  {
    what: 'a small number, and the tool says what the id is of',
    first: found({ users: [{ id: 7 }] }),
    next: get({ id: 7 }),
    lines: ['id <- search_users.users[].id'],
    because: 'get_user takes the id of a user',
  },
  {
    what: 'a small number whose names do not agree',
    first: found({ projects: [{ id: 7 }] }, 'list_projects'),
    next: get({ user_id: 7 }),
    lines: [],
    because: 'a project is no user, and what it is cannot be told',
  },
  {
    what: 'a count that equals an id',
    first: found({ users: [{ id: 20 }] }),
    next: get({ limit: 20 }),
    lines: [],
    because: 'a limit is never fed',
  },
  {
    what: 'an ordinary word',
    first: found({ tasks: [{ state: 'completed' }] }),
    next: get({ status: 'completed' }),
    lines: [],
    because: 'it is a word of the API vocabulary',
  },
  {
    what: 'a short name of the thing that the argument names',
    first: found({ branches: [{ name: 'main' }] }, 'list_branches'),
    next: get({ branch: 'main' }),
    lines: ['branch <- list_branches.branches[].name'],
    because: 'a branch is named',
  },
  {
    what: 'a value that the schema lists',
    first: found({ plan: 'enterprise-eu' }),
    next: get(
      { plan: 'enterprise-eu' },
      { inputSchema: { properties: { plan: { enum: ['enterprise-eu', 'starter-eu'] } } } },
    ),
    lines: ['plan declared'],
    because: 'the model knows it from the definition',
  },
  {
    what: 'a value that came from the prompt and stands in the result',
    first: { ...search, arguments: { user_id: 'usr_81a2f3' } },
    next: get({ user_id: 'usr_81a2f3' }),
    lines: ['user_id argument'],
    because: 'the session had it before the result',
  },
  {
    what: 'an id that stood nowhere',
    first: search,
    next: get({ user_id: 'usr_999999' }),
    lines: ['user_id nowhere'],
    because: 'neither a result nor the schema has it',
  },
  {
    what: 'a sentence of the model',
    first: search,
    next: get({ note: 'please look into this soon' }),
    lines: [],
    because: 'texts are written, not taken',
  },
  {
    what: 'a key of a map',
    first: found({ users: { 'u-81a2f3': { age: 3 } } }),
    next: get({ user_id: 'u-81a2f3' }),
    lines: ['user_id <- search_users.users.*'],
    because: 'a name that may be a value is one',
  },
  {
    what: 'a field whose name no schema declares and no vocabulary has',
    first: found({ qzxwv: { id: 'usr_81a2f3' } }),
    next: get({ jjwqk: 'usr_81a2f3' }),
    lines: ['* <- search_users.*.id'],
    because: 'such a name may be a value',
  },
  {
    what: 'a field that the output schema declares',
    first: { ...found({ qzxwv: 'usr_81a2f3' }), outputSchema: { properties: { qzxwv: {} } } },
    next: get({ user_id: 'usr_81a2f3' }),
    lines: ['user_id <- search_users.qzxwv'],
    because: 'the author wrote the name',
  },
  {
    what: 'several values of one list',
    first: found({ users: [{ id: 'usr_1aaaaa' }, { id: 'usr_2bbbbb' }] }),
    next: get({ ids: ['usr_1aaaaa', 'usr_2bbbbb'] }),
    lines: ['ids[] <- search_users.users[].id'],
    because: 'one field fed one argument',
  },
  {
    what: 'an id in the error of a call that failed',
    first: { tool: 'search_users', isFailure: true, result: 'No such user. Did you mean usr_81a2f3?' },
    next: get({ user_id: 'usr_81a2f3' }),
    lines: ['user_id <- search_users.text'],
    because: 'agents take what an error offers',
  },
];

describe('an argument is traced to the result it came from', () => {
  test.each(ROWS)('$what: $lines, because $because', ({ first, next, lines }) => {
    expect(linesOfLast([first, next])).toEqual(lines);
  });

  test('not to a result that came only after the call had started', () => {
    const concurrent = [
      { ...search, startedAtMs: 0, endedAtMs: 500 },
      { ...get({ user_id: 'usr_81a2f3' }), startedAtMs: 400, endedAtMs: 600 },
    ];
    expect(linesOfLast(concurrent)).toEqual(['user_id nowhere']);
  });

  test('not to a result of another session', () => {
    expect(linesOfLast([search, get({ user_id: 'usr_81a2f3' }, { session: 'two' })])).toEqual([
      'user_id nowhere',
    ]);
  });

  test('to the call that found it, not to one that only repeats what it was given', () => {
    const repeated = get({ user_id: 'usr_81a2f3' }, { result: { id: 'usr_81a2f3', age: 36 } });
    const flows = playSession([search, repeated, { tool: 'delete_user', arguments: { id: 'usr_81a2f3' } }]);
    expect(parseArgumentSources(flows.at(-1)?.argumentSources ?? '')).toEqual([toSpanId(0)]);
  });

  test('to the latest of equal results', () => {
    const flows = playSession([search, search, get({ user_id: 'usr_81a2f3' })]);
    expect(flows.at(-1)?.argumentSources).toBe(toSpanId(1));
  });

  test('to the field whose name agrees, of several with the same value', () => {
    const both = found({ owner_id: 'usr_81a2f3', user_id: 'usr_81a2f3', id: 'usr_81a2f3' });
    expect(linesOfLast([both, get({ user_id: 'usr_81a2f3' })])).toEqual(['user_id <- search_users.user_id']);
  });

  test('to none, of a value that many fields have', () => {
    const names = ['status', 'label', 'color', 'group', 'region', 'kind'];
    const common = found(Object.fromEntries(names.map((name) => [name, 'zq-north-1'])));
    expect(linesOfLast([common, get({ comment: 'zq-north-1' })])).toEqual([]);
  });
});

describe('uses of a result are told apart', () => {
  const usesOf = (calls: readonly SessionCall[]) => originsOfLast(calls).map(({ source }) => source?.use);
  const use = get({ user_id: 'usr_81a2f3' });

  test('the first, and those after it', () => {
    expect(usesOf([search, use])).toEqual(['first']);
    expect(usesOf([search, use, use])).toEqual(['again']);
  });

  test('of a further page; asking for it is no use of the page before', () => {
    const first: SessionCall = { tool: 'search_users', result: { nextCursor: 'c2Vjb25kLXBhZ2U' } };
    const second: SessionCall = { ...search, arguments: { cursor: 'c2Vjb25kLXBhZ2U' } };
    expect(linesOfLast([first, second])).toEqual(['cursor page', 'cursor <- search_users.nextCursor']);
    expect(usesOf([first, second])).toEqual([undefined, 'paging']);
    expect(usesOf([first, second, use])).toEqual(['first_page']);
  });
});

describe('fields of a result', () => {
  test('are those with values that can be followed', () => {
    const [flow] = playSession([search]);
    expect(parseResultFields(flow?.resultFields ?? '')).toEqual([
      'items[].id',
      'items[].name',
      'items[].url',
    ]);
  });

  test('of a failed call are none that the tool offers', () => {
    expect(playSession([{ ...search, isFailure: true }])[0]?.resultFields).toBe('');
  });
});

describe('nothing is said to come from nowhere', () => {
  const large = { rows: Array.from({ length: 5000 }, (_, at) => `row-${at}-value`) };

  test.each([
    ['after a result that was not read to its end', found(large)],
    ['after a call whose values were released', { ...search, isWhole: false }],
  ])('%s', (_, first) => {
    expect(linesOfLast([first, get({ user_id: 'usr_999999' })])).toEqual([]);
  });
});

test('a long session forgets its oldest results and knows its recent ones', () => {
  const many = Array.from({ length: 60 }, (_, at) =>
    found({ users: Array.from({ length: 300 }, (_, row) => ({ id: `usr_${at}_${row}` })) }),
  );
  expect(linesOfLast([...many, get({ user_id: 'usr_59_7' })])).toEqual([
    'user_id <- search_users.users[].id',
  ]);
  expect(linesOfLast([...many, get({ user_id: 'usr_1_7' })])).toEqual([]);
});
