// The numbers of the pages of tools, each with its oracle test.
import { type OracleCoverage, queryTest } from './oracle-coverage-entry.ts';

const RETIREMENT_FIELDS = [
  ...['quietDays', 'requiredDays', 'longestGapDays', 'calls', 'successorCalls', 'callers[].calls'],
];

export const TOOL_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'RecoveriesResponse',
    pages: 'tool: errors',
    test: [
      'scenarios/recoveries.integration.test.ts',
      'what worked after an error is learned from the sessions that got past it',
    ],
    fields: ['succeeded', 'sessions', 'otherwise'].map((name) => `recoveries[].${name}`),
  },
  {
    answer: 'ToolsResponse',
    pages: 'overview, tools: table',
    test: [queryTest('queries'), 'the tools table agrees with the oracle over $name'],
    fields: ['calls', 'callsPerMinute', 'sessions', 'errors', 'errorRate', 'p50Ms', 'p95Ms', 'p99Ms'].map(
      (name) => `tools[].${name}`,
    ),
  },
  {
    answer: 'ToolColumnsResponse',
    pages: 'tools: table',
    test: [
      queryTest('tools/tool-columns'),
      'the columns of the tools table agree with the oracle over $name',
    ],
    fields: [
      'errorRate',
      'correctCallRate',
      'resultUse',
      'next',
      'triesPerSuccess',
      'loopShare',
      'resultTokensP95',
      'definitionTokens',
    ].map((name) => `columns[].${name}`),
  },
  {
    answer: 'ContractTruthResponse',
    pages: 'tool: truth of the contract',
    test: [
      queryTest('tools/contract-truth'),
      'the promises of each tool agree with a recount of the raw rows',
    ],
    fields: [
      ...['', 'tools[].'].flatMap((of) => ['score', 'promises', 'tested', 'broken'].map((name) => of + name)),
      ...['tools[].records[].kept', 'tools[].records[].broken', 'sequence.calls'],
    ],
  },
  {
    answer: 'ToolColumnsResponse',
    pages: 'tools: table',
    test: [queryTest('advice/advice-counts'), 'is counted in the column of its tool'],
    fields: ['columns[].advice'],
  },
  {
    answer: 'ToolColumnsResponse',
    pages: 'tools: removed, missing, sequences',
    test: [
      queryTest('tools/tool-columns'),
      'the sequences of tools agree with the oracle',
      'the requested but missing tool names agree with the oracle',
      'the removed tools agree with the oracle',
    ],
    fields: [
      'removed[].calls',
      'missing[].calls',
      'missing[].sessions',
      'sequences[].count',
      'sequences[].sessions',
      'sequences[].endedInFailure',
    ],
  },
  {
    answer: 'NeverCalledResponse',
    pages: 'overview, tools: never called',
    test: [queryTest('overview/silent-hour'), 'the never-called tools by %j agree with the oracle'],
    fields: ['tools[].listings', 'tools[].sessions', 'tools[].definitionTokens'],
  },
  {
    answer: 'ToolSeriesResponse',
    pages: 'tool: over time',
    test: [queryTest('tools/tool-page'), 'the charts of $name agree with the oracle'],
    fields: [
      ...['bucketSeconds', 'marks[].atMs', 'codes[].errors', 'codes[].points[][0]', 'codes[].points[][1]'],
      ...['atMs', 'calls', 'errors', 'timed', 'p50Ms', 'p95Ms', 'p99Ms'].map((name) => `points[].${name}`),
    ],
  },
  {
    answer: 'ToolLatencyResponse',
    pages: 'tool: latency distribution',
    test: [queryTest('tools/tool-page'), 'the charts of $name agree with the oracle'],
    fields: ['bucketSeconds', ...[0, 1, 2].map((at) => `cells[][${at}]`)],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: head',
    test: [queryTest('tools/tool-page'), 'the head of the page of $name agrees with the oracle'],
    fields: [
      ...['calls', 'sessions', 'errorRate', 'p50Ms', 'p95Ms', 'resultTokensP95', 'next', 'triesPerSuccess'],
      ...['loopShare', 'sequence.fromMs', 'sequence.calls'],
    ],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: versions',
    test: [queryTest('tools/tool-page'), 'the versions of $name agree with the oracle'],
    fields: ['definitionTokens', 'listings', 'calls', 'sessions', 'errorRate', 'triesPerSuccess'].map(
      (name) => `versions[].${name}`,
    ),
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: failures',
    test: [queryTest('tools/tool-page'), 'the failure groups of $name agree with the oracle'],
    fields: ['count', 'share', 'sessions', 'next', 'changedArguments[].count'].map(
      (name) => `failures[].${name}`,
    ),
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: arguments, results',
    test: [queryTest('tools/tool-arguments'), 'the arguments of $name agree', 'the results of $name agree'],
    fields: [
      ...[
        'used',
        'invalid',
        'types[].count',
        'distinct.values',
        'distinct.calls',
        'distinct.mostFrequent',
      ].map((name) => `arguments[].${name}`),
      ...['longestText', 'default.omitted', 'default.sent', 'values[].count'].map(
        (name) => `arguments[].${name}`,
      ),
      ...['results.n', 'results.structured', 'results.json'],
    ],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: neighbours',
    test: [queryTest('tools/tool-page'), 'the neighbours of $name agree with the oracle'],
    fields: [
      ...['before[].count', 'before[].endedInFailure', 'after[].count', 'after[].endedInFailure'],
      ...['confusedWith[].calls', 'confusedWith[].sessions'],
    ],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: latency',
    test: [queryTest('tools/tool-page'), 'the latency of $name by client and size agrees with the oracle'],
    fields: [
      ...['calls', 'errorRate', 'p50Ms', 'p95Ms'].map((name) => `byClient[].${name}`),
      ...['fromBytes', 'toBytes', 'calls', 'p50Ms', 'p95Ms'].map((name) => `bySize[].${name}`),
    ],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: advice',
    test: [
      queryTest('advice/advice-counts'),
      'the counts of advice over $name agree with the oracle',
      'the calls lost according to advice over $name agree with its counts',
    ],
    fields: ['advice[].counts.{}', 'advice[].callsLost'],
  },
  {
    answer: 'AdviceResponse',
    pages: 'tools: advice',
    test: [
      queryTest('advice/advice-counts'),
      'the counts of advice over $name agree with the oracle',
      'the calls lost according to advice over $name agree with its counts',
    ],
    fields: ['advice[].counts.{}', 'advice[].callsLost'],
  },
  {
    answer: 'AdviceResponse',
    pages: 'tools: advice',
    test: [queryTest('tools/tool-columns'), 'the rates of advice agree with the oracle'],
    fields: ['correctCallRate', 'errorRecoveryRate'],
  },
  {
    answer: 'DependenciesResponse',
    pages: 'tool: dependencies',
    test: [
      queryTest('calls/child-spans'),
      'the dependencies of a tool are the sums over its spans that are in no other dependency',
    ],
    fields: [
      ...['calls', 'callsMs'],
      ...['spans', 'errors', 'errorRate', 'p95Ms', 'totalMs', 'timeShare'].map(
        (name) => `dependencies[].${name}`,
      ),
    ],
  },
  {
    answer: 'CallSpansResponse',
    pages: 'calls: child spans of a call',
    test: [queryTest('calls/child-spans'), 'the spans of a call are a tree, siblings by their start'],
    fields: ['depth', 'offsetMs', 'durationMs'].map((name) => `spans[].${name}`),
  },
  {
    answer: 'RetirementsResponse',
    pages: 'tools: retirement',
    test: [
      queryTest('tools/retirements'),
      'every superseded or deprecated tool has the verdict of the oracle, and no other tool is listed',
    ],
    fields: ['minQuietDays', ...RETIREMENT_FIELDS.map((name) => `retirements[].${name}`)],
  },
  {
    answer: 'RetirementResponse',
    pages: 'retirement: facts',
    test: [
      queryTest('tools/retirements'),
      'every superseded or deprecated tool has the verdict of the oracle, and no other tool is listed',
    ],
    fields: RETIREMENT_FIELDS.map((name) => `retirement.${name}`),
  },
  {
    answer: 'RetirementResponse',
    pages: 'retirement: chart, callers',
    test: [queryTest('tools/retirements'), 'the callers of %s %s and of %s agree with the oracle day by day'],
    fields: [
      'counted',
      ...['calls', 'errors', 'days[].atMs', 'days[].calls'].map((name) => `callers[].${name}`),
    ],
  },
];
