// The numbers of the overview, each with the test that counts it again.
import { type OracleCoverage, queryTest } from './oracle-coverage-entry.ts';

const TOTALS_FIELDS = ['calls', 'sessions', 'errors', 'errorRate', 'p50Ms', 'p95Ms', 'sessionsOverThirty'];

export const OVERVIEW_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'SummaryResponse',
    pages: 'overview: tiles; what chooses the range of every page',
    test: [queryTest('queries'), 'agrees with a recount over $name', 'says how fresh it is'],
    fields: [
      ...TOTALS_FIELDS.map((name) => `totals.${name}`),
      ...TOTALS_FIELDS.map((name) => `previous.${name}`),
      'freshness.serversReporting',
    ],
  },
  {
    answer: 'SummaryResponse',
    pages: 'overview: verdict',
    test: [
      queryTest('overview/current-health'),
      'that ends now fails, however long it is, and says so with both figures',
    ],
    fields: ['calls', 'errors', 'firingAlerts', 'tools[].calls', 'tools[].errors'].map(
      (name) => `now.${name}`,
    ),
  },
  {
    answer: 'SummaryResponse',
    pages: 'overview: tiles',
    test: [queryTest('tools/never-called'), 'are as many as the summary says'],
    fields: ['totals.neverCalledTools', 'previous.neverCalledTools'],
  },
  {
    answer: 'SummaryResponse',
    pages: 'overview: tiles',
    test: [queryTest('query/comparison-range'), 'the totals before agree with a recount'],
    fields: ['previousRange'],
  },
  {
    answer: 'SummaryResponse',
    pages: 'overview: verdict, loops',
    test: [queryTest('overview/silent-hour'), 'in $name agrees with a recount'],
    fields: ['loops.activeSessions', 'loops.wastedCalls', 'loops.wastedShare'],
  },
  {
    answer: 'TrendResponse',
    pages: 'overview: tiles',
    test: [queryTest('overview/overview'), 'the course of the figures'],
    fields: ['points[].atMs', 'points[].calls', 'points[].errors', 'points[].sessions', 'points[].p95Ms'],
  },
  {
    answer: 'ClientsResponse',
    pages: 'overview: clients',
    test: [queryTest('overview/overview'), 'clients by outcome', 'say from when on they are counted'],
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
    answer: 'ProtocolsResponse',
    pages: 'overview: protocols',
    test: [queryTest('overview/overview'), 'protocol versions'],
    fields: [
      'protocols[].calls',
      'protocols[].share',
      'protocols[].sessions',
      'window.fromMs',
      'window.calls',
    ],
  },
  {
    answer: 'AttentionResponse',
    pages: 'overview: attention',
    test: [queryTest('overview/attention'), 'is told with its reason', 'is counted as a recount counts it'],
    fields: ['items[].count', 'totals.{}'],
  },
  {
    answer: 'ChangesResponse',
    pages: 'overview: what changed; marks of every chart',
    test: [queryTest('overview/changes'), 'has the errors of before and after', 'shifts'],
    fields: ['changes[].before.value', 'changes[].before.n', 'changes[].after.value', 'changes[].after.n'],
  },
  {
    answer: 'ErrorsResponse',
    pages: 'overview: heat table',
    test: [queryTest('queries'), 'agree with a recount over $name'],
    fields: ['errors[].count', 'errors[].share', 'errors[].rate'],
  },
  {
    answer: 'SeriesResponse',
    pages: 'overview: charts',
    test: [queryTest('overview/silent-hour'), 'a chart over an hour of silence'],
    fields: ['bucketSeconds', 'series[].points[][0]', 'series[].points[][1]', 'series[].points[][2]'],
  },
  {
    answer: 'SeriesResponse',
    pages: 'overview: charts beside an earlier time',
    test: [queryTest('query/comparison-range'), 'every line has its earlier self beside it'],
    fields: [
      'compared.range',
      'compared.shiftMs',
      ...[0, 1, 2].map((at) => `compared.series[].points[][${at}]`),
    ],
  },
];
