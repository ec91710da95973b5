// The numbers of sessions, calls and loops, each with the test that counts it again.
import { type OracleCoverage, queryTest } from './oracle-coverage-entry.ts';

const LOOP_FIELDS = ['period', 'repeats', 'wastedCalls', 'wastedMs'];

export const LIST_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'SessionsResponse',
    pages: 'overview: long sessions; sessions',
    test: [queryTest('sessions/cut-sessions'), 'is counted whole in the list'],
    fields: ['calls', 'requests', 'errors', 'loops'].map((name) => `sessions[].${name}`),
  },
  {
    answer: 'SessionsResponse',
    pages: 'sessions',
    test: [queryTest('queries'), 'agree with a recount over $name'],
    fields: ['total'],
  },
  {
    answer: 'SessionCountsResponse',
    pages: 'sessions: chips, histogram, sessions without a call',
    test: [queryTest('sessions/session-counts'), 'are those of the recount'],
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
    answer: 'SessionResponse',
    pages: 'session',
    test: [queryTest('sessions/cut-sessions'), 'is whole on its page'],
    fields: [
      ...['calls', 'requests', 'errors', 'loops'].map((name) => `session.${name}`),
      ...['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`),
    ],
  },
  {
    answer: 'SessionResponse',
    pages: 'session',
    test: [queryTest('sessions/session-counts'), 'the calls of a session say what they can be compared by'],
    fields: ['calls[].resultLines'],
  },
  {
    answer: 'CallsResponse',
    pages: 'calls',
    test: [queryTest('sessions/cut-sessions'), 'counts in figures with what lies in the range'],
    fields: ['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`),
  },
  {
    answer: 'CallValuesResponse',
    pages: 'calls: filters, error patterns',
    test: [
      queryTest('calls/call-values'),
      'are those of the calls when',
      'are as many as the list has',
      'are the messages that repeat',
    ],
    fields: ['total', 'values[].values[].count', 'patterns[].count'],
  },
  {
    answer: 'LoopsResponse',
    pages: 'overview, loops',
    test: [queryTest('overview/silent-hour'), 'in $name agrees with a recount'],
    fields: ['total', 'active', 'wastedCalls'],
  },
  {
    answer: 'LoopsResponse',
    pages: 'overview, loops',
    test: [queryTest('loops/loops'), 'tells all that is known of one'],
    fields: LOOP_FIELDS.map((name) => `loops[].${name}`),
  },
  {
    answer: 'SessionResponse',
    pages: 'session: loops',
    test: [queryTest('loops/loops'), 'lists its loops, and counts what is no note'],
    fields: LOOP_FIELDS.map((name) => `loops[].${name}`),
  },
];
