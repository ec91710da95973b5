// The numbers of the pages of tools, each with the test that counts it again.
import { type OracleCoverage, queryTest } from './oracle-coverage-entry.ts';

export const TOOL_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'ToolsResponse',
    pages: 'overview, tools: table',
    test: [queryTest('queries'), 'agree with a recount over $name'],
    fields: ['calls', 'callsPerMinute', 'sessions', 'errors', 'errorRate', 'p50Ms', 'p95Ms', 'p99Ms'].map(
      (name) => `tools[].${name}`,
    ),
  },
  {
    answer: 'ToolColumnsResponse',
    pages: 'tools: table',
    test: [queryTest('tools/tool-columns'), 'the columns of the tools table'],
    fields: ['errorRate', 'next', 'triesPerSuccess', 'loopShare', 'resultTokensP95', 'definitionTokens'].map(
      (name) => `columns[].${name}`,
    ),
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
      'sequences',
      'names that were asked for and are missing',
      'tools that were taken away',
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
    test: [queryTest('overview/silent-hour'), 'by %j agree with a recount'],
    fields: ['tools[].listings', 'tools[].sessions', 'tools[].definitionTokens'],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: head',
    test: [queryTest('tools/tool-page'), 'the head of $name agrees with a recount'],
    fields: [
      ...['calls', 'sessions', 'errorRate', 'p50Ms', 'p95Ms', 'resultTokensP95', 'next', 'triesPerSuccess'],
      ...['loopShare', 'sequence.fromMs', 'sequence.calls'],
    ],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: versions',
    test: [queryTest('tools/tool-page'), 'versions'],
    fields: ['definitionTokens', 'listings', 'calls', 'sessions', 'errorRate', 'triesPerSuccess'].map(
      (name) => `versions[].${name}`,
    ),
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: failures',
    test: [queryTest('tools/tool-page'), 'failure groups'],
    fields: ['count', 'share', 'sessions', 'next', 'changedArguments[].count'].map(
      (name) => `failures[].${name}`,
    ),
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: arguments, results',
    test: [queryTest('tools/tool-arguments'), 'arguments', 'results'],
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
    test: [queryTest('tools/tool-page'), 'the neighbours of $name agree with a recount'],
    fields: [
      ...['before[].count', 'before[].endedInFailure', 'after[].count', 'after[].endedInFailure'],
      ...['confusedWith[].calls', 'confusedWith[].sessions'],
    ],
  },
  {
    answer: 'ToolResponse',
    pages: 'tool: latency',
    test: [queryTest('tools/tool-page'), 'the latency of $name agrees with a recount by client and size'],
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
      'has counts that agree with a recount',
      'costs the calls that its counts say',
    ],
    fields: ['advice[].counts.{}', 'advice[].callsLost'],
  },
  {
    answer: 'AdviceResponse',
    pages: 'tools: advice',
    test: [
      queryTest('advice/advice-counts'),
      'has counts that agree with a recount',
      'costs the calls that its counts say',
    ],
    fields: ['advice[].counts.{}', 'advice[].callsLost'],
  },
  {
    answer: 'AdviceResponse',
    pages: 'tools: advice',
    test: [queryTest('tools/tool-columns'), 'the rates of advice'],
    fields: ['correctCallRate', 'errorRecoveryRate'],
  },
];
