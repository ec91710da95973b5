// The rows of the fixture's tool design that are made up rather than counted: definitions, versions, arguments, advice,
// changes.

const annotations = { readOnlyHint: true, openWorldHint: true };
const query = { type: 'string', description: 'Words to look for in title and body.' };
const state = { type: 'string', enum: ['open', 'closed'], default: 'open' };

export const DEFINITIONS: Readonly<Record<string, object>> = {
  '9f31c2a07be41d55': {
    name: 'search_issues',
    title: 'Search issues',
    description: 'Searches the issues of a repository. Returns at most `limit` of them, newest first.',
    inputSchema: {
      type: 'object',
      properties: {
        repo: { type: 'string', description: 'owner/name' },
        query,
        limit: { type: 'integer', description: 'How many to return.' },
        filter: {
          type: 'object',
          description: 'Narrows the search.',
          properties: { state, labels: { type: 'array', items: { type: 'string' } } },
        },
      },
      required: ['repo', 'query', 'limit'],
    },
    annotations,
  },
  '4c08d1e6aa7203f9': {
    name: 'search_issues',
    title: 'Search issues',
    description: 'Searches issues.',
    inputSchema: {
      type: 'object',
      properties: {
        repo: { type: 'string', description: 'owner/name' },
        query,
        limit: { type: 'integer', description: 'How many to return.', default: 30 },
        filter: { type: 'object', description: 'Narrows the search.', properties: { state } },
      },
      required: ['repo', 'query'],
    },
    annotations,
  },
  b2: {
    name: 'search_issues',
    description: 'Searches issues.',
    inputSchema: {
      type: 'object',
      properties: { repository: { type: 'string' }, query, limit: { type: 'integer' } },
      required: ['repository', 'query'],
    },
  },
};

/** `from` and `to` are hours ago. */
export const SEARCH_VERSIONS = [
  {
    hash: '9f31c2a07be41d55',
    from: 20,
    to: 0.1,
    definitionTokens: 214,
    listings: 118,
    serverVersions: ['1.4.2'],
    isCurrent: true,
    calls: 1_010,
    sessions: 289,
    errorRate: { value: 0.1208, n: 1_010, low: 0.102, high: 0.142 },
    triesPerSuccess: 1.31,
    changes: [
      {
        kind: 'argument_added_required',
        breaking: true,
        argument: 'limit',
        sentence: 'limit is required now.',
      },
      {
        kind: 'argument_added',
        breaking: false,
        argument: 'filter.labels',
        sentence: 'filter.labels was added, optional.',
      },
      {
        kind: 'description_changed',
        breaking: false,
        argument: '',
        sentence: 'The description was rewritten.',
      },
    ],
  },
  {
    hash: '4c08d1e6aa7203f9',
    from: 400,
    to: 20,
    definitionTokens: 176,
    listings: 2_040,
    serverVersions: ['1.4.0', '1.4.1'],
    isCurrent: false,
    calls: 194,
    sessions: 61,
    errorRate: { value: 0.0464, n: 194, low: 0.0246, high: 0.0859 },
    triesPerSuccess: 1.05,
    changes: [
      {
        kind: 'argument_renamed',
        breaking: true,
        argument: 'repo',
        sentence: 'repository was renamed to repo.',
      },
    ],
  },
  {
    hash: 'b2',
    from: 1_400,
    to: 400,
    definitionTokens: 88,
    listings: 3_300,
    serverVersions: ['1.3.9'],
    isCurrent: false,
    calls: 0,
    sessions: 0,
    errorRate: { value: null, n: 0, low: null, high: null },
    triesPerSuccess: null,
    changes: [],
  },
];

const used = (k: number, n: number) => ({
  value: k / n,
  n,
  low: Math.max(0, k / n - 0.02),
  high: Math.min(1, k / n + 0.02),
});
const plain = { distinct: null, longestText: 0, default: null, values: [], invalid: 0 };

export const SEARCH_ARGUMENTS = [
  {
    ...plain,
    path: 'repo',
    isDeclared: true,
    isRequired: true,
    declared: 'string',
    used: used(1_204, 1_204),
    types: [{ type: 'string', count: 1_204 }],
    distinct: { values: 41, calls: 1_204, mostFrequent: 310, isExact: true },
    longestText: 48,
  },
  {
    ...plain,
    path: 'query',
    isDeclared: true,
    isRequired: true,
    declared: 'string',
    used: used(1_204, 1_204),
    types: [{ type: 'string', count: 1_204 }],
    distinct: { values: 980, calls: 1_204, mostFrequent: 9, isExact: false },
    longestText: 212,
  },
  {
    ...plain,
    path: 'limit',
    isDeclared: true,
    isRequired: true,
    declared: 'integer',
    used: used(1_160, 1_204),
    invalid: 96,
    types: [
      { type: 'integer', count: 1_139 },
      { type: 'string', count: 21 },
    ],
    distinct: { values: 6, calls: 1_160, mostFrequent: 702, isExact: true },
  },
  {
    ...plain,
    path: 'filter.state',
    isDeclared: true,
    isRequired: false,
    declared: 'one of open, closed',
    used: used(388, 1_204),
    types: [{ type: 'string', count: 388 }],
    values: [
      { value: 'open', count: 341 },
      { value: 'closed', count: 47 },
    ],
    default: { omitted: 816, sent: 341 },
  },
  {
    ...plain,
    path: 'filter.labels',
    isDeclared: true,
    isRequired: false,
    declared: 'array of string',
    used: used(0, 1_204),
    types: [],
  },
  {
    ...plain,
    path: 'sort',
    isDeclared: false,
    isRequired: false,
    declared: '',
    used: used(19, 1_204),
    types: [{ type: 'string', count: 19 }],
  },
];

const open = {
  state: 'open',
  reason: '',
  outcome: '',
  names: {},
  source: 'traffic',
  server: 'github',
} as const;

export const ADVICE = [
  {
    ...open,
    id: 'github~missing-bound~search_issues~limit',
    rule: 'missing-bound',
    level: 'error',
    title: 'A bound that only the error tells',
    tool: 'search_issues',
    argument: 'limit',
    finding: 'limit was refused as too large in 96 calls of 74 sessions, and its schema names no maximum.',
    counts: { refused: 96, sessions: 74, recovered: 61 },
    calls: { tool: 'search_issues', outcome: null, code: '-32602', message: null, argument: null },
    suggestion: {
      text: 'Say the maximum in the schema, so that the agent knows it before it calls.',
      edits: [{ tool: 'search_issues', pointer: '/inputSchema/properties/limit/maximum', after: 100 }],
    },
    disprovedBy: 'Refusals of limit that go on after a version whose schema has a maximum.',
    callsLost: 96,
  },
  {
    ...open,
    id: 'github~uncoded-errors~search_issues~',
    rule: 'errors-without-recovery',
    level: 'warning',
    title: 'An error that does not say what to do',
    tool: 'search_issues',
    argument: '',
    finding: '35 calls ended with "repository <s> not found"; 10 of 35 gave up there.',
    counts: { errors: 35, gaveUp: 10 },
    calls: { tool: 'search_issues', outcome: null, code: 'HTTP_404', message: null, argument: null },
    suggestion: {
      text: 'Name the next step in the message.',
      edits: [
        {
          tool: 'search_issues',
          pointer: '/description',
          before: 'Searches the issues of a repository. Returns at most `limit` of them, newest first.',
          after:
            'Searches the issues of a repository. Returns at most `limit` of them, newest first. Use list_repositories first if the name is not known.',
        },
      ],
    },
    disprovedBy: 'A share of given-up calls that stays as it is after the message names a next step.',
    callsLost: 35,
  },
  {
    ...open,
    id: 'github~unused-argument~search_issues~filter.labels',
    rule: 'unused-argument',
    level: 'note',
    title: 'An argument that nobody uses',
    tool: 'search_issues',
    argument: 'filter.labels',
    finding: 'filter.labels was in 0 of 1 204 calls.',
    counts: { calls: 1_204 },
    calls: null,
    suggestion: { text: 'Take it out, or say in the description when it helps.', edits: [] },
    disprovedBy: 'One call that uses it.',
    callsLost: 0,
  },
  {
    ...open,
    id: 'notes~uncoded-errors~move~',
    server: 'notes',
    rule: 'errors-without-recovery',
    level: 'error',
    title: 'An error that does not say what to do',
    tool: 'move',
    argument: '',
    finding: '202 calls ended with "CONFLICT: something went wrong, try again", and no agent got past it.',
    counts: { errors: 202, recovered: 0 },
    calls: { tool: 'move', outcome: null, code: 'CONFLICT', message: null, argument: null },
    suggestion: { text: 'Say whether trying again can help, and what has to change first.', edits: [] },
    disprovedBy: 'Agents that recover from this error.',
    callsLost: 202,
  },
  {
    ...open,
    id: 'github~leaking-errors~get_file~',
    rule: 'leaking-errors',
    level: 'warning',
    state: 'gone',
    outcome: 'Gone since 1.4.2: 31 failures a day became 2.',
    title: 'A stack trace in an error',
    tool: 'get_file',
    argument: '',
    finding: '31 errors a day carried a path of the server.',
    counts: { errors: 31 },
    calls: null,
    suggestion: { text: 'Answer with a code and a sentence.', edits: [] },
    disprovedBy: 'Errors without a path.',
    callsLost: 2,
  },
];

const none = {
  tool: '',
  isBreaking: false,
  before: null,
  after: null,
  environment: 'production',
  server: 'github',
};

export const CHANGES = [
  { ...none, hoursAgo: 20, kind: 'version', sentence: '1.4.1 → 1.4.2' },
  {
    ...none,
    hoursAgo: 19.9,
    kind: 'definition',
    tool: 'search_issues',
    sentence: 'search_issues: limit is required now (breaking)',
    isBreaking: true,
  },
  {
    ...none,
    hoursAgo: 18,
    kind: 'error_shift',
    tool: 'search_issues',
    sentence: 'search_issues fails more often',
    before: { value: 0.0464, n: 194 },
    after: { value: 0.1208, n: 1_010 },
  },
  {
    ...none,
    hoursAgo: 11,
    kind: 'latency_shift',
    tool: 'create_issue',
    sentence: 'create_issue is slower: p95',
    before: { value: 820, n: 61 },
    after: { value: 1_640, n: 35 },
  },
  {
    ...none,
    hoursAgo: 6,
    kind: 'new_client',
    sentence: 'chatgpt calls for the first time',
    server: 'weather',
  },
  { ...none, hoursAgo: 5, kind: 'annotation', sentence: 'cache cleared' },
  {
    ...none,
    hoursAgo: 2,
    kind: 'new_code',
    tool: 'merge_pull_request',
    sentence: 'NOT_MERGEABLE was not seen before',
  },
];
