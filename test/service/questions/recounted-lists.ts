// The numbers of sessions, calls and loops, each with the test that counts it again.
import { type OracleCoverage, queryTest } from './recounted-entry.ts';

const LOOP_FIELDS = ['period', 'repeats', 'wastedCalls', 'wastedMs'];

export const LIST_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'SessionsAnswer',
    pages: 'overview: long sessions; sessions',
    test: [queryTest('whole-sessions'), 'is counted whole in the list'],
    fields: ['calls', 'requests', 'errors', 'loops'].map((name) => `sessions[].${name}`),
  },
  {
    answer: 'SessionsAnswer',
    pages: 'sessions',
    test: [queryTest('questions'), 'agree with a recount over $name'],
    fields: ['total'],
  },
  {
    answer: 'SessionCountsAnswer',
    pages: 'sessions: chips, histogram, sessions without a call',
    test: [queryTest('session-counts'), 'are those of the recount'],
    fields: [
      ...[
        'total',
        'overThirty',
        'looping',
        'allFailed',
        'endedOnError',
        'paused',
        'oneCall',
        'uncalled',
        'booting',
      ],
      ...['cut', 'callsPerSession[].from', 'callsPerSession[].to', 'callsPerSession[].sessions'],
      ...['sessions', 'connected', 'listedTools', 'booting'].map((name) => `uncalledBy[].${name}`),
    ],
  },
  {
    answer: 'SessionAnswer',
    pages: 'session',
    test: [queryTest('whole-sessions'), 'is whole on its page'],
    fields: [
      ...['calls', 'requests', 'errors', 'loops'].map((name) => `session.${name}`),
      ...['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`),
    ],
  },
  {
    answer: 'CallsAnswer',
    pages: 'calls',
    test: [queryTest('whole-sessions'), 'counts in figures with what lies in the range'],
    fields: ['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`),
  },
  {
    answer: 'CallValuesAnswer',
    pages: 'calls: filters, error patterns',
    test: [
      queryTest('call-values'),
      'are those of the calls when',
      'are as many as the list has',
      'are the messages that repeat',
    ],
    fields: ['total', 'values[].values[].count', 'patterns[].count'],
  },
  {
    answer: 'LoopsAnswer',
    pages: 'overview, loops',
    test: [queryTest('empty-hour'), 'in $name agrees with a recount'],
    fields: ['total', 'active', 'wastedCalls'],
  },
  {
    answer: 'LoopsAnswer',
    pages: 'overview, loops',
    test: [queryTest('loops'), 'tells all that is known of one'],
    fields: LOOP_FIELDS.map((name) => `loops[].${name}`),
  },
  {
    answer: 'SessionAnswer',
    pages: 'session: loops',
    test: [queryTest('loops'), 'lists its loops, and counts what is no note'],
    fields: LOOP_FIELDS.map((name) => `loops[].${name}`),
  },
];
