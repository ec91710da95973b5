// The numbers of the overview, each with the test that counts it again.
import { type OracleCoverage, queryTest } from './recounted-entry.ts';

const TOTALS_FIELDS = ['calls', 'sessions', 'errors', 'errorRate', 'p50Ms', 'p95Ms', 'sessionsOverThirty'];

export const OVERVIEW_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'SummaryAnswer',
    pages: 'overview: tiles; what chooses the range of every page',
    test: [queryTest('questions'), 'agrees with a recount over $name', 'says how fresh it is'],
    fields: [
      ...TOTALS_FIELDS.map((name) => `totals.${name}`),
      ...TOTALS_FIELDS.map((name) => `previous.${name}`),
      'freshness.serversReporting',
    ],
  },
  {
    answer: 'SummaryAnswer',
    pages: 'overview: verdict',
    test: [queryTest('now'), 'that ends now fails, however long it is, and says so with both figures'],
    fields: ['calls', 'errors', 'firingAlerts', 'tools[].calls', 'tools[].errors'].map(
      (name) => `now.${name}`,
    ),
  },
  {
    answer: 'SummaryAnswer',
    pages: 'overview: tiles',
    test: [queryTest('catalogue'), 'are as many as the summary says'],
    fields: ['totals.neverCalledTools', 'previous.neverCalledTools'],
  },
  {
    answer: 'SummaryAnswer',
    pages: 'overview: tiles',
    test: [queryTest('compare'), 'the totals before agree with a recount'],
    fields: ['previousRange'],
  },
  {
    answer: 'SummaryAnswer',
    pages: 'overview: verdict, loops',
    test: [queryTest('empty-hour'), 'in $name agrees with a recount'],
    fields: ['loops.activeSessions', 'loops.wastedCalls', 'loops.wastedShare'],
  },
  {
    answer: 'TrendAnswer',
    pages: 'overview: tiles',
    test: [queryTest('overview'), 'the course of the figures'],
    fields: ['points[].atMs', 'points[].calls', 'points[].errors', 'points[].sessions', 'points[].p95Ms'],
  },
  {
    answer: 'ClientsAnswer',
    pages: 'overview: clients',
    test: [queryTest('overview'), 'clients by outcome', 'say from when on they are counted'],
    fields: [
      'counted',
      ...['calls', 'ok', 'clientFaults', 'serverFaults', 'neither', 'errorRate'].map(
        (name) => `clients[].${name}`,
      ),
      'rest.clients',
      'rest.calls',
    ],
  },
  {
    answer: 'ProtocolsAnswer',
    pages: 'overview: protocols',
    test: [queryTest('overview'), 'protocol versions'],
    fields: [
      'protocols[].calls',
      'protocols[].share',
      'protocols[].sessions',
      'window.fromMs',
      'window.calls',
    ],
  },
  {
    answer: 'AttentionAnswer',
    pages: 'overview: attention',
    test: [queryTest('attention'), 'is told with its reason', 'is counted as a recount counts it'],
    fields: ['items[].count', 'totals.{}'],
  },
  {
    answer: 'ChangesAnswer',
    pages: 'overview: what changed; marks of every chart',
    test: [queryTest('what-changed'), 'has the errors of before and after', 'shifts'],
    fields: ['changes[].before.value', 'changes[].before.n', 'changes[].after.value', 'changes[].after.n'],
  },
  {
    answer: 'ErrorsAnswer',
    pages: 'overview: heat table',
    test: [queryTest('questions'), 'agree with a recount over $name'],
    fields: ['errors[].count', 'errors[].share', 'errors[].rate'],
  },
  {
    answer: 'SeriesAnswer',
    pages: 'overview: charts',
    test: [queryTest('empty-hour'), 'a chart over an hour of silence'],
    fields: ['bucketSeconds', 'series[].points[][0]', 'series[].points[][1]', 'series[].points[][2]'],
  },
  {
    answer: 'SeriesAnswer',
    pages: 'overview: charts beside an earlier time',
    test: [queryTest('compare'), 'every line has its earlier self beside it'],
    fields: [
      'compared.range',
      'compared.shiftMs',
      ...[0, 1, 2].map((at) => `compared.series[].points[][${at}]`),
    ],
  },
];
