// Each traffic rule: when it speaks, with which figures, and when it does not.
import { describe, expect, test } from 'vitest';
import { advise, findingKey } from '../../../src/core/advice/advise.ts';
import type { ToolEvidence } from '../../../src/core/advice/tool-evidence.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import { argument, evidence, failure, tool, withArgument } from './evidence.ts';

interface Row {
  readonly rule: string;
  readonly tools: readonly ToolDefinition[];
  readonly traffic: ToolEvidence;
  /** `level argument lost`, or undefined where it is silent. */
  readonly expected: string | undefined;
  readonly because: string;
}

const row = (
  rule: string,
  tools: readonly ToolDefinition[],
  traffic: ToolEvidence,
  expected: string | undefined,
  because: string,
): Row => ({ rule, tools, traffic, expected, because });

const search = [tool('search_orders')];
const withLimit = [withArgument('search_orders', 'limit', { type: 'integer' })];
const withState = [withArgument('search_orders', 'state', { type: 'string' })];
const rangeFailure = (over = {}) =>
  evidence('search_orders', {
    failures: [
      failure({
        calls: 31,
        sessions: 9,
        argument: 'limit',
        code: '-32602',
        outcome: 'invalid_arguments',
        fault: 'client',
        template: 'limit must be <= <n>',
        ...over,
      }),
    ],
  });
const nested = [
  withArgument('search_orders', 'filter', {
    type: 'object',
    properties: { from: { type: 'string' }, to: { type: 'string' } },
    required: ['from', 'to'],
  }),
];
const repeats = (next: object) => ({
  next: { sameCall: 0, changedArgument: 0, otherTool: 0, recovered: 0, gaveUp: 0, ...next },
});
const errors = (over: Parameters<typeof failure>[0]) =>
  evidence('search_orders', { failures: [failure(over)] });
const create = [tool('create_order')];
const locked = (over = {}) =>
  errors({
    calls: 60,
    sessions: 5,
    code: 'ORDER_LOCKED',
    withCode: 60,
    ...repeats({ recovered: 20 }),
    ...over,
  });
/** Three calls with each code, or as many as told. */
const coded = (codes: readonly string[], over = {}) =>
  evidence('search_orders', {
    failures: codes.map((code) => failure({ calls: 3, code, withCode: 3, ...over })),
  });
const finalErrors = (over = {}) =>
  errors({
    calls: 20,
    sessions: 5,
    code: 'ORDER_GONE',
    withCode: 20,
    withFinal: 20,
    ...repeats({ sameCall: 4 }),
    ...over,
  });
const timedErrors = (over = {}) =>
  errors({ calls: 20, sessions: 5, code: 'BUSY', withCode: 20, withRetryAfter: 20, tooEarly: 3, ...over });
const undeclared = ({ path = 'status', ...over }: { path?: string; known?: number; sent?: number } = {}) =>
  evidence('search_orders', { arguments: [argument(path, { known: 200, sent: 40, ...over })] });
const version = (over = {}) => ({
  definitionHash: 'abcdef0123456789',
  serverVersion: '1.0.0',
  current: false,
  calls: 12,
  staleCalls: 4,
  lastCalledAtMs: 1_700_000_000_000,
  clients: ['cursor'],
  ...over,
});

const ROWS: readonly Row[] = [
  row(
    'TD007',
    [...search, tool('find_orders')],
    evidence('search_orders', { confusions: [{ other: 'find_orders', calls: 5, sessions: 3 }] }),
    'warning 5',
    'three agents went on to the other',
  ),
  row(
    'TD007',
    [...search, tool('find_orders')],
    evidence('search_orders', { confusions: [{ other: 'find_orders', calls: 9, sessions: 1 }] }),
    undefined,
    'one session is one task',
  ),
  row(
    'TD007',
    [...search, tool('find_orders')],
    evidence('lookup_orders', { confusions: [{ other: 'find_orders', calls: 5, sessions: 3 }] }),
    undefined,
    'a name that is not listed is invented',
  ),
  row(
    'TD007',
    [],
    evidence('search_orders', { confusions: [{ other: 'find_orders', calls: 5, sessions: 3 }] }),
    'warning 5',
    'where no listing is known, none is missing',
  ),

  row(
    'TD009',
    withState,
    evidence('search_orders', {
      arguments: [argument('state', { compared: 312, distinct: 4, longestText: 9 })],
    }),
    'note state 0',
    'four values in 312 calls',
  ),
  row(
    'TD009',
    withState,
    evidence('search_orders', {
      arguments: [argument('state', { compared: 312, distinct: 4, longestText: 9, invalid: 7 })],
    }),
    'warning state 7',
    'seven were refused for another',
  ),
  row(
    'TD009',
    withState,
    evidence('search_orders', {
      arguments: [argument('state', { compared: 30, distinct: 8, longestText: 9 })],
    }),
    undefined,
    'four calls a value are too few',
  ),
  row(
    'TD009',
    withState,
    evidence('search_orders', {
      sessions: 2,
      arguments: [argument('state', { compared: 312, distinct: 4, longestText: 9 })],
    }),
    undefined,
    'two sessions are two agents',
  ),
  row(
    'TD009',
    withState,
    evidence('search_orders', {
      arguments: [argument('state', { compared: 312, distinct: 4, longestText: 900 })],
    }),
    undefined,
    'long texts are written, not chosen',
  ),
  row(
    'TD009',
    [withArgument('search_orders', 'state', { type: 'string', enum: ['a'] })],
    evidence('search_orders', { arguments: [argument('state', { compared: 312, distinct: 4 })] }),
    undefined,
    'it has an enum',
  ),
  row(
    'TD009',
    [withArgument('search_orders', 'owner', { type: 'string' })],
    evidence('search_orders', { arguments: [argument('owner', { compared: 312, distinct: 4 })] }),
    undefined,
    'an owner is the caller’s own',
  ),

  row(
    'TD010',
    withLimit,
    evidence('search_orders', {
      arguments: [argument('limit', { known: 200, sent: 198, compared: 198, distinct: 1 })],
    }),
    'note limit 0',
    'everybody sends the same',
  ),
  row(
    'TD010',
    withLimit,
    evidence('search_orders', {
      arguments: [argument('limit', { known: 200, sent: 198, compared: 198, distinct: 2 })],
    }),
    undefined,
    'one call was different',
  ),
  row(
    'TD010',
    withLimit,
    evidence('search_orders', {
      arguments: [argument('limit', { known: 200, sent: 198, compared: 40, distinct: 1 })],
    }),
    undefined,
    'most calls cannot be compared',
  ),
  row(
    'TD010',
    [withArgument('search_orders', 'limit', { type: 'integer', default: 5 })],
    evidence('search_orders', {
      arguments: [argument('limit', { known: 200, sent: 198, compared: 198, distinct: 1 })],
    }),
    undefined,
    'there is a default',
  ),

  row('TD012', withLimit, rangeFailure(), 'warning limit 31', 'the schema has no maximum'),
  row(
    'TD012',
    withLimit,
    rangeFailure({ argument: '' }),
    'warning limit 31',
    'the message names the one argument',
  ),
  row(
    'TD012',
    [withArgument('search_orders', 'limit', { type: 'integer', maximum: 100 })],
    rangeFailure(),
    undefined,
    'the agent ignored a declared bound',
  ),
  row('TD012', withLimit, rangeFailure({ calls: 2 }), undefined, 'two are no pattern'),
  row('TD012', withLimit, rangeFailure({ template: 'limit is not a number' }), undefined, 'it is no range'),
  row(
    'TD012',
    withLimit,
    rangeFailure({ template: 'limit cannot be greater than <n>' }),
    'warning limit 31',
    'a negated bound is the other bound',
  ),
  row(
    'TD012',
    [withArgument('search_orders', 'limit', { type: 'integer', maximum: 9 })],
    rangeFailure({ template: 'limit cannot be greater than <n>' }),
    undefined,
    'that bound is declared',
  ),

  row(
    'TD013',
    nested,
    evidence('search_orders', { arguments: [argument('filter', { sent: 100, incomplete: 12 })] }),
    'warning filter 12',
    'one in eight was half filled',
  ),
  row(
    'TD013',
    nested,
    evidence('search_orders', { arguments: [argument('filter', { sent: 100, incomplete: 4 })] }),
    undefined,
    'under five percent',
  ),
  row(
    'TD013',
    withState,
    evidence('search_orders', { arguments: [argument('state', { sent: 100, incomplete: 12 })] }),
    undefined,
    'nothing lies inside a text',
  ),

  row(
    'TD014',
    withState,
    evidence('search_orders', { arguments: [argument('state', { known: 200 })] }),
    'note state 0',
    'nobody sent it in 200 calls',
  ),
  row(
    'TD014',
    withState,
    evidence('search_orders', { arguments: [argument('state', { known: 200, sent: 1 })] }),
    undefined,
    'somebody did',
  ),
  row(
    'TD014',
    withState,
    evidence('search_orders', { arguments: [argument('state', { known: 49 })] }),
    undefined,
    'never is said after fifty',
  ),
  row(
    'TD014',
    [
      tool('search_orders', {
        inputSchema: { type: 'object', properties: { state: {} }, required: ['state'] },
      }),
    ],
    evidence('search_orders', { arguments: [argument('state', { known: 200 })] }),
    undefined,
    'a required one is refused, not unused',
  ),

  row(
    'TD015',
    search,
    evidence('search_orders', { results: { measured: 40, p95Tokens: 18_000, largestTokens: 22_000 } }),
    'warning 0',
    'there is no way to ask for less',
  ),
  row(
    'TD015',
    withLimit,
    evidence('search_orders', { results: { measured: 40, p95Tokens: 18_000, largestTokens: 22_000 } }),
    undefined,
    'there is a limit',
  ),
  row(
    'TD015',
    search,
    evidence('search_orders', { results: { measured: 40, p95Tokens: 900, largestTokens: 22_000 } }),
    undefined,
    'one large result is no habit',
  ),

  row(
    'TD016',
    search,
    errors({
      calls: 12,
      withCode: 0,
      next: { sameCall: 0, changedArgument: 0, otherTool: 0, recovered: 4, gaveUp: 0 },
    }),
    'warning 8',
    'prose only, and eight never recovered',
  ),
  row('TD016', search, errors({ calls: 12, withCode: 12 }), undefined, 'all have a code'),
  row('TD016', search, errors({ calls: 12, outcome: 'invalid_arguments' }), undefined, 'the SDK words those'),

  row(
    'TD017',
    search,
    errors({
      calls: 12,
      withCode: 12,
      seen: 12,
      next: { sameCall: 5, changedArgument: 0, otherTool: 0, recovered: 0, gaveUp: 2 },
    }),
    'note 7',
    'five tried again blindly and two ended',
  ),
  row('TD017', search, errors({ calls: 12, withCode: 12, seen: 12 }), undefined, 'agents found their way'),
  row(
    'TD017',
    search,
    errors({
      calls: 60,
      withCode: 60,
      seen: 60,
      next: { sameCall: 5, changedArgument: 49, otherTool: 0, recovered: 53, gaveUp: 2 },
    }),
    undefined,
    'seven of sixty is what happens anyway',
  ),
  row(
    'TD017',
    search,
    errors({
      calls: 12,
      withCode: 12,
      seen: 12,
      next: { sameCall: 12, changedArgument: 0, otherTool: 0, recovered: 12, gaveUp: 0 },
    }),
    undefined,
    'the same call again is the right thing where it helps',
  ),
  row(
    'TD017',
    search,
    errors({
      calls: 12,
      withCode: 12,
      seen: 12,
      next: { sameCall: 8, changedArgument: 2, otherTool: 0, recovered: 6, gaveUp: 2 },
    }),
    'note 6',
    'two ended, and of eight retries at most four came to nothing',
  ),
  row(
    'TD017',
    search,
    errors({
      calls: 12,
      seen: 12,
      withRecovery: 12,
      withRetryable: 12,
      next: { sameCall: 5, changedArgument: 0, otherTool: 0, recovered: 0, gaveUp: 2 },
    }),
    undefined,
    'the errors say what to do',
  ),

  row(
    'TD018',
    search,
    errors({ calls: 12, withCode: 12, withStackTrace: 1 }),
    'error 0',
    'one trace is too many',
  ),
  row(
    'TD018',
    search,
    errors({ calls: 12, withCode: 12, withPath: 5 }),
    'warning 0',
    'the tool takes no path',
  ),
  row(
    'TD018',
    [withArgument('search_orders', 'path', {})],
    errors({ calls: 12, withCode: 12, withPath: 5 }),
    undefined,
    'it has to say which file',
  ),

  row(
    'TD022',
    search,
    evidence('search_orders', { results: { measured: 90, partialFailures: 6 } }),
    'warning 6',
    'six went on with half',
  ),
  row(
    'TD022',
    search,
    evidence('search_orders', { results: { measured: 90, partialFailures: 2 } }),
    undefined,
    'two are no pattern',
  ),
  row(
    'TD023',
    search,
    evidence('search_orders', { results: { measured: 90, errorInResult: 6 } }),
    'warning 6',
    'six failures look like successes',
  ),
  row(
    'TD023',
    search,
    evidence('search_orders', { results: { measured: 90, errorInResult: 2 } }),
    undefined,
    'two are no pattern',
  ),

  row(
    'TD024',
    search,
    evidence('search_orders', { results: { measured: 90, jsonText: 88 } }),
    'note 0',
    'it is JSON anyway',
  ),
  row(
    'TD024',
    search,
    evidence('search_orders', { results: { measured: 90, jsonText: 88, structured: 1 } }),
    undefined,
    'it can answer in structure',
  ),
  row(
    'TD024',
    search,
    evidence('search_orders', { results: { measured: 90, jsonText: 50 } }),
    undefined,
    'half of it is prose',
  ),
  row(
    'TD025',
    search,
    evidence('search_orders', { results: { measured: 90, violations: 1 } }),
    'error 1',
    'SDKs turn it into an error',
  ),
  row('TD025', search, evidence('search_orders', { results: { measured: 90 } }), undefined, 'all fit'),

  row(
    'TD029',
    [tool('search_orders', { annotations: { readOnlyHint: true } })],
    errors({ calls: 3, code: 'HTTP_409' }),
    'warning 3',
    'who reads does not collide',
  ),
  row(
    'TD029',
    [tool('search_orders', { annotations: { idempotentHint: true } })],
    errors({ calls: 3, code: 'ALREADY_EXISTS' }),
    'warning 3',
    'the repeat was refused',
  ),
  row(
    'TD029',
    [tool('search_orders', { annotations: { idempotentHint: true } })],
    errors({ calls: 3, code: 'HTTP_409' }),
    undefined,
    'a lock may be lost by idempotent writes too',
  ),
  row('TD029', search, errors({ calls: 3, code: 'HTTP_409' }), undefined, 'it claims nothing'),

  row(
    'TD030',
    create,
    evidence('create_order', { duplicates: { calls: 3, sessions: 2, sameResult: 0 } }),
    'warning 3',
    'three orders too many',
  ),
  row(
    'TD030',
    create,
    evidence('create_order', { duplicates: { calls: 3, sessions: 2, sameResult: 3 } }),
    'note 3',
    'the server may have recognised them',
  ),
  row(
    'TD030',
    create,
    evidence('create_order', { duplicates: { calls: 1, sessions: 1, sameResult: 0 } }),
    undefined,
    'once may be meant',
  ),
  row(
    'TD030',
    [withArgument('create_order', 'idempotency_key', {})],
    evidence('create_order', { duplicates: { calls: 3, sessions: 2, sameResult: 3 } }),
    undefined,
    'the key was the same too',
  ),
  row(
    'TD030',
    search,
    evidence('search_orders', { duplicates: { calls: 30, sessions: 2, sameResult: 3 } }),
    undefined,
    'reading twice does no harm',
  ),

  row(
    'TD032',
    [tool('read_file', { description: 'Reads. DEPRECATED: use read_text_file.' })],
    evidence('read_file', { calls: 7, clients: ['cursor'] }),
    'note 0',
    'it is marked and in use',
  ),
  row(
    'TD032',
    [tool('read_file')],
    evidence('read_file', { versions: [version()] }),
    'note 0',
    'four calls met an old definition',
  ),
  row(
    'TD032',
    [tool('read_file')],
    evidence('read_file', { versions: [version({ staleCalls: 0 })] }),
    undefined,
    'they were made in its time',
  ),
  row('TD032', search, evidence('read_file', { versions: [version()] }), 'warning 4', 'it was taken away'),
  row(
    'TD032',
    search,
    evidence('read_file', { calls: 0, versions: [version()] }),
    'warning 4',
    'all of its calls met what was taken away',
  ),
  row(
    'TD032',
    search,
    evidence('read_file', {
      wasListed: true,
      versions: [version()],
      failures: [failure({ outcome: 'unknown_tool', fault: 'client', calls: 3 })],
    }),
    'warning 7',
    'three more were refused by a process that no longer has it',
  ),
  row(
    'TD032',
    search,
    evidence('read_file', {
      wasListed: false,
      failures: [failure({ outcome: 'unknown_tool', fault: 'client', calls: 3 })],
    }),
    undefined,
    'a name that was never listed is refused too',
  ),
  row(
    'TD032',
    search,
    evidence('read_file', { versions: [] }),
    undefined,
    'it never existed: agents invent it',
  ),
  row(
    'TD032',
    [tool('list_old', { description: 'Lists what is not deprecated.' })],
    evidence('list_old'),
    undefined,
    'the word is about something else',
  ),

  row('TD033', search, locked(), 'warning 40', 'the description says nothing of a lock'),
  row('TD033', search, locked({ calls: 9 }), undefined, 'nine calls are few'),
  row('TD033', search, locked({ calls: 49 }), undefined, 'it is under a quarter of the calls'),
  row('TD033', search, locked({ sessions: 2 }), undefined, 'two agents are no pattern'),
  row(
    'TD033',
    [tool('search_orders', { description: 'Searches. Locked orders are refused.' })],
    locked(),
    undefined,
    'the description speaks of it',
  ),
  row('TD033', search, locked({ code: 'HTTP_503' }), undefined, 'no caller can provide for an outage'),
  row('TD033', search, locked({ code: 'RATE_LIMITED' }), undefined, 'a limit is no state of the order'),
  row('TD033', search, locked({ code: 'ORDER_NOT_FOUND' }), undefined, 'the code names no state'),
  row(
    'TD033',
    search,
    locked({ code: 'PERIOD_TOO_LONG' }),
    undefined,
    'the code is about the value of an argument',
  ),
  row('TD033', search, locked({ argument: 'limit' }), undefined, 'it is about the value of an argument'),
  row('TD033', search, locked({ withCode: 0 }), undefined, 'there is no code'),

  row('TD034', search, finalErrors(), 'warning 4', 'four calls were repeated although it is of no use'),
  row(
    'TD034',
    search,
    finalErrors({ withFinal: 19 }),
    undefined,
    'one error is not final, and may be the one that was repeated',
  ),
  row('TD034', search, finalErrors(repeats({ sameCall: 2 })), undefined, 'two repeats are few'),
  row('TD034', search, timedErrors(), 'warning 3', 'three calls came before the time that the error told'),
  row('TD034', search, timedErrors({ tooEarly: 2 }), undefined, 'two early calls are few'),
  row(
    'TD034',
    search,
    timedErrors({ ...repeats({ sameCall: 9 }), tooEarly: 0 }),
    undefined,
    'each repeat waited as long as it was told',
  ),
  row(
    'TD034',
    search,
    finalErrors({ tooEarly: 4 }),
    'warning 4',
    'a repeat of a final error counts once, whatever time it told',
  ),

  row('TD035', withState, undeclared(), 'warning status 0', 'a fifth of the calls sent it'),
  row('TD035', withState, undeclared({ sent: 39 }), undefined, 'less than a fifth sent it'),
  row('TD035', withState, undeclared({ known: 19, sent: 19 }), undefined, 'nineteen calls are few'),
  row('TD035', withState, undeclared({ path: 'state' }), undefined, 'it is declared'),
  row('TD035', withState, undeclared({ path: '<key>:a1b2c3' }), undefined, 'its name is not known'),
  row(
    'TD035',
    [tool('search_orders', { inputSchema: { type: 'object', additionalProperties: { type: 'string' } } })],
    undeclared(),
    undefined,
    'the schema takes any name',
  ),
  row(
    'TD035',
    [tool('search_orders', { inputSchema: { type: 'object' } })],
    undeclared(),
    undefined,
    'a schema without properties takes anything',
  ),

  row(
    'TD036',
    create,
    evidence('create_order', { keyReuse: { repeated: 5, different: 3 } }),
    'warning 3',
    'the same key made three results',
  ),
  row(
    'TD036',
    create,
    evidence('create_order', { keyReuse: { repeated: 50, different: 2 } }),
    undefined,
    'two are few',
  ),

  row(
    'TD037',
    search,
    evidence('search_orders', { results: { measured: 30, longLists: 3 } }),
    'note 0',
    'three lists are long',
  ),
  row(
    'TD037',
    search,
    evidence('search_orders', { results: { measured: 30, longLists: 2 } }),
    undefined,
    'two are few',
  ),

  row(
    'TD051',
    search,
    coded(['INVALID_INPUT', 'BAD_REQUEST']),
    'note 0',
    'they are words for the same thing',
  ),
  row(
    'TD051',
    search,
    coded(['ERR_NOT_FOUND', 'does-not-exist']),
    'note 0',
    'spelling and the word error make no difference',
  ),
  row('TD051', search, coded(['INVALID_INPUT', 'NOT_FOUND']), undefined, 'they differ in meaning'),
  row('TD051', search, coded(['INVALID_INPUT', 'INVALID_DATE']), undefined, 'the one says more'),
  row(
    'TD051',
    search,
    coded(['INVALID_INPUT', 'BAD_REQUEST'], { calls: 2 }),
    undefined,
    'two calls of each are few',
  ),
  row(
    'TD051',
    search,
    coded(['INVALID_INPUT', 'BAD_REQUEST'], { withCode: 0 }),
    undefined,
    'the codes are not the tool’s own',
  ),
  row(
    'TD051',
    search,
    coded(Array.from({ length: 13 }, (_, at) => `ORDER_CODE_${at}`)),
    'note 0',
    'thirteen are more than an agent can learn',
  ),
  row(
    'TD051',
    search,
    coded(Array.from({ length: 12 }, (_, at) => `ORDER_CODE_${at}`)),
    undefined,
    'twelve are not too many',
  ),
];

const rowsWithFinding = ROWS.filter(({ expected }) => expected !== undefined);
const findOf = ({ rule, tools, traffic }: Row) =>
  advise(tools, [traffic]).filter((finding) => finding.rule === rule);

describe('traffic rules', () => {
  test.each(ROWS.map((one) => ({ ...one, says: one.expected ?? 'nothing' })))(
    'the rule $rule reports $says because $because',
    (one) => {
      const said = findOf(one).map(({ level, argument: path, callsLost }) =>
        [level, path, callsLost].filter((part) => part !== '').join(' '),
      );
      expect(said).toEqual(one.expected === undefined ? [] : [one.expected]);
    },
  );

  test('no traffic rule reports a tool without calls', () => {
    for (const { tools } of ROWS) {
      const silent = evidence(tools[0]?.name ?? '', { calls: 0, sessions: 0 });
      expect(advise(tools, [silent]).filter(({ source }) => source === 'traffic')).toEqual([]);
    }
  });

  test.each(rowsWithFinding)(
    'a finding of $rule has numbers, calls, a suggestion and a way to disprove it',
    (one) => {
      const [finding] = findOf(one);
      expect(finding?.source).toBe('traffic');
      expect(Object.values(finding?.evidence.counts ?? {}).some((count) => count > 0)).toBe(true);
      expect(finding?.evidence.calls?.tool).toBe(one.traffic.tool);
      expect(finding?.finding).toMatch(/\d.*\.$/);
      expect(finding?.suggestion.text).toMatch(/\.$/);
      expect(finding?.disprovedBy).toMatch(/\.$/);
    },
  );
});

describe('combined advice', () => {
  const limited = withArgument('search_orders', 'limit', {
    type: 'integer',
    description: 'How many, max 100',
  });

  test('static findings are left out where traffic shows the same problem', () => {
    const ids = (traffic: readonly ToolEvidence[]) => advise([limited], traffic).map(({ rule }) => rule);
    expect(ids([])).toContain('TD011');
    expect(ids([rangeFailure()])).toContain('TD012');
    expect(ids([rangeFailure()])).not.toContain('TD011');
  });

  test('traffic confirms a suspected pair whichever of the two tools was called first', () => {
    const pair = ['search_orders', 'find_orders'].map((name) =>
      tool(name, { description: 'Search orders of a customer by their state' }),
    );
    const confused = evidence('find_orders', {
      confusions: [{ other: 'search_orders', calls: 5, sessions: 3 }],
    });
    expect(advise(pair, []).map(({ rule }) => rule)).toContain('TD006');
    const shown = advise(pair, [confused]).map(({ rule }) => rule);
    expect(shown).toContain('TD007');
    expect(shown).not.toContain('TD006');
  });

  test('advice is sorted by lost calls, then by level', () => {
    const traffic = [
      evidence('search_orders', {
        errors: 31,
        results: { measured: 90, errorInResult: 6 },
        failures: rangeFailure().failures,
      }),
    ];
    const ranked = advise([limited, tool('delete_order', { annotations: { readOnlyHint: true } })], traffic);
    expect(ranked.map(({ callsLost }) => callsLost).slice(0, 3)).toEqual([31, 6, 0]);
    expect(ranked[2]).toMatchObject({ level: 'error', rule: 'TD028' });
    expect([...ranked].sort((a, b) => b.callsLost - a.callsLost)).toEqual(ranked);
  });

  test('a finding keeps its key while its numbers grow', () => {
    const keys = [31, 310].map((calls) =>
      findOf(row('TD012', withLimit, rangeFailure({ calls }), '', '')).map(findingKey),
    );
    expect(keys).toEqual([['TD012/search_orders/limit'], ['TD012/search_orders/limit']]);
  });

  test('advice on a removed tool lists the clients that still call it, with versions and the last time', () => {
    const gone = evidence('read_file', {
      ...{ calls: 0, clients: [] },
      versions: [version({ clients: ['cursor 2.1'] }), version({ clients: ['claude 1.0', 'cursor 2.1'] })],
    });
    const [told] = findOf(row('TD032', search, gone, '', ''));
    expect(told?.finding).toBe(
      '"read_file" is no longer listed and was called 8 times since by claude 1.0 and cursor 2.1, last on 2023-11-14T22:13:20.000Z.',
    );
    expect(told?.evidence.names['clients']).toEqual(['claude 1.0', 'cursor 2.1']);
  });

  test('advice shows values only where capture stored them', () => {
    const few = (values?: readonly string[]) =>
      findOf(
        row(
          'TD009',
          withState,
          evidence('search_orders', {
            arguments: [
              argument('state', { compared: 312, distinct: 2, longestText: 9, ...(values && { values }) }),
            ],
          }),
          '',
          '',
        ),
      )[0];
    expect(few(['open', 'closed'])?.suggestion.edits[0]?.after).toEqual(['open', 'closed']);
    expect(JSON.stringify(few())).not.toContain('open');
    expect(few()?.suggestion.edits[0]?.after).toEqual(['<value 1>', '<value 2>']);
  });
});
