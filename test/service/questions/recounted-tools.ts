// The numbers of the pages of tools, each with the test that counts it again.
import { type OracleCoverage, queryTest } from './recounted-entry.ts';

export const TOOL_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'ToolsAnswer',
    pages: 'overview, tools: table',
    test: [queryTest('questions'), 'agree with a recount over $name'],
    fields: ['calls', 'callsPerMinute', 'sessions', 'errors', 'errorRate', 'p50Ms', 'p95Ms', 'p99Ms'].map(
      (name) => `tools[].${name}`,
    ),
  },
  {
    answer: 'ToolColumnsAnswer',
    pages: 'tools: table',
    test: [queryTest('columns'), 'the columns of the tools table'],
    fields: ['errorRate', 'next', 'triesPerSuccess', 'loopShare', 'resultTokensP95', 'definitionTokens'].map(
      (name) => `columns[].${name}`,
    ),
  },
  {
    answer: 'ToolColumnsAnswer',
    pages: 'tools: table',
    test: [queryTest('advice-numbers'), 'is counted in the column of its tool'],
    fields: ['columns[].advice'],
  },
  {
    answer: 'ToolColumnsAnswer',
    pages: 'tools: removed, missing, sequences',
    test: [
      queryTest('columns'),
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
    answer: 'NeverCalledAnswer',
    pages: 'overview, tools: never called',
    test: [queryTest('empty-hour'), 'by %j agree with a recount'],
    fields: ['tools[].listings', 'tools[].sessions', 'tools[].definitionTokens'],
  },
  {
    answer: 'ToolAnswer',
    pages: 'tool: head',
    test: [queryTest('tool-page'), 'the head of $name agrees with a recount'],
    fields: [
      ...['calls', 'sessions', 'errorRate', 'p50Ms', 'p95Ms', 'resultTokensP95', 'next', 'triesPerSuccess'],
      ...['loopShare', 'sequence.fromMs', 'sequence.calls'],
    ],
  },
  {
    answer: 'ToolAnswer',
    pages: 'tool: versions',
    test: [queryTest('tool-page'), 'versions'],
    fields: ['definitionTokens', 'listings', 'calls', 'sessions', 'errorRate', 'triesPerSuccess'].map(
      (name) => `versions[].${name}`,
    ),
  },
  {
    answer: 'ToolAnswer',
    pages: 'tool: failures',
    test: [queryTest('tool-page'), 'failure groups'],
    fields: ['count', 'share', 'sessions', 'next', 'changedArguments[].count'].map(
      (name) => `failures[].${name}`,
    ),
  },
  {
    answer: 'ToolAnswer',
    pages: 'tool: arguments, results',
    test: [queryTest('tool-arguments'), 'arguments', 'results'],
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
    answer: 'ToolAnswer',
    pages: 'tool: neighbours',
    test: [queryTest('tool-page'), 'the neighbours of $name agree with a recount'],
    fields: [
      ...['before[].count', 'before[].endedInFailure', 'after[].count', 'after[].endedInFailure'],
      ...['confusedWith[].calls', 'confusedWith[].sessions'],
    ],
  },
  {
    answer: 'ToolAnswer',
    pages: 'tool: latency',
    test: [queryTest('tool-page'), 'the latency of $name agrees with a recount by client and size'],
    fields: [
      ...['calls', 'errorRate', 'p50Ms', 'p95Ms'].map((name) => `byClient[].${name}`),
      ...['fromBytes', 'toBytes', 'calls', 'p50Ms', 'p95Ms'].map((name) => `bySize[].${name}`),
    ],
  },
  {
    answer: 'ToolAnswer',
    pages: 'tool: advice',
    test: [
      queryTest('advice-numbers'),
      'has counts that agree with a recount',
      'costs the calls that its counts say',
    ],
    fields: ['advice[].counts.{}', 'advice[].callsLost'],
  },
  {
    answer: 'AdviceAnswer',
    pages: 'tools: advice',
    test: [
      queryTest('advice-numbers'),
      'has counts that agree with a recount',
      'costs the calls that its counts say',
    ],
    fields: ['advice[].counts.{}', 'advice[].callsLost'],
  },
  {
    answer: 'AdviceAnswer',
    pages: 'tools: advice',
    test: [queryTest('columns'), 'the rates of advice'],
    fields: ['correctCallRate', 'errorRecoveryRate'],
  },
];
