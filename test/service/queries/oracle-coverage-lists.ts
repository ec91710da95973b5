// The numbers of sessions, calls and loops, each with its oracle test.
import { type OracleCoverage, queryTest } from './oracle-coverage-entry.ts';

const LOOP_FIELDS = ['period', 'repeats', 'wastedCalls', 'wastedMs'];

const PLAN_FIELDS = ['sessions', 'calls', 'errors', 'steps', 'repeatedCalls'];

const AGENT_COUNTS = ['calls', 'joined', 'failed', 'failedAfterSuccess', 'unreached'];
const AGENT_CALL_TIMES = ['waitedMs', 'serverMs', 'beyondMs'];

export const LIST_COVERAGE: readonly OracleCoverage[] = [
  {
    answer: 'ErrorGroupsResponse',
    pages: 'errors',
    test: [
      queryTest('error-groups/error-groups'),
      'groups count failures by outcome, code and message across tools, as the calls in memory do',
    ],
    fields: ['count', 'sessions', 'tools[].count', 'versions[].count', 'clients[].count']
      .map((name) => `groups[].${name}`)
      .concat('totals.{}'),
  },
  {
    answer: 'ErrorGroupsResponse',
    pages: 'errors',
    test: [
      queryTest('error-groups/error-groups'),
      'a group is resolved in a version, regresses on a newer one and not on an older one, and can be ignored',
    ],
    fields: ['groups[].countSinceMark', 'groups[].marked.untilCount'],
  },
  {
    answer: 'AgentSideResponse',
    pages: 'clients: the agent’s side',
    test: [
      queryTest('agent-side/agent-side'),
      'calls of agents are counted once, by what became of them',
      'each agent and tool has the time that the agent waited beyond the server',
      'the calls that need attention are listed, newest first',
    ],
    fields: [
      ...[...AGENT_COUNTS, 'untraced', 'other'],
      ...[
        ...AGENT_COUNTS,
        'untraced',
        'waitedP50Ms',
        'serverP50Ms',
        'beyondP50Ms',
        'beyondP95Ms',
        'beyondMs',
      ].map((name) => `tools[].${name}`),
      ...AGENT_CALL_TIMES.map((name) => `notable[].${name}`),
    ],
  },
  {
    answer: 'SessionAgentSideResponse',
    pages: 'session: the agent’s side',
    test: [
      queryTest('agent-side/agent-side'),
      'a session has the calls of its agent in order, with the times of both sides',
    ],
    fields: [
      ...[...AGENT_COUNTS, ...AGENT_CALL_TIMES],
      ...AGENT_CALL_TIMES.map((name) => `agentCalls[].${name}`),
    ],
  },
  {
    answer: 'SessionsResponse',
    pages: 'overview: long sessions; sessions',
    test: [queryTest('sessions/cut-sessions'), 'a session that the range cuts is counted whole in the list'],
    fields: ['calls', 'requests', 'errors', 'loops'].map((name) => `sessions[].${name}`),
  },
  {
    answer: 'SessionsResponse',
    pages: 'sessions',
    test: [queryTest('queries'), 'the list of sessions agrees with the oracle over $name'],
    fields: ['total'],
  },
  {
    answer: 'SessionCountsResponse',
    pages: 'sessions: chips, histogram, sessions without a call',
    test: [
      queryTest('sessions/session-counts'),
      'the sessions of kind %j agree with the oracle',
      'the session counts of server %s agree with the oracle',
    ],
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
    test: [queryTest('sessions/cut-sessions'), 'a session that the range cuts is whole on its page'],
    fields: [
      ...['calls', 'requests', 'errors', 'loops'].map((name) => `session.${name}`),
      ...['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`),
    ],
  },
  {
    answer: 'SessionResponse',
    pages: 'session',
    test: [
      queryTest('sessions/session-counts'),
      'the calls of a session have the fingerprints needed to compare them',
    ],
    fields: ['calls[].resultLines'],
  },
  {
    answer: 'SessionAgentResponse',
    pages: 'session: the same agent elsewhere; agent',
    test: [queryTest('sessions/session-agent'), 'each session has the counts of the list of sessions'],
    fields: ['calls', 'requests', 'errors', 'loops'].map((name) => `sessions[].session.${name}`),
  },
  {
    answer: 'SessionAgentResponse',
    pages: 'session: the same agent elsewhere; agent',
    test: [
      queryTest('sessions/session-agent'),
      'sessions are joined by trace and by conversation id, also through another session',
    ],
    fields: ['sessions[].sharedTraces'],
  },
  {
    answer: 'SessionAgentResponse',
    pages: 'agent',
    test: [queryTest('sessions/session-agent'), 'the agent is the same, seen from session %s on %s'],
    fields: ['total', ...['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`)],
  },
  {
    answer: 'PlansResponse',
    pages: 'plans',
    test: [queryTest('plans/plans'), 'the list of plans %s agrees with the oracle over all of its pages'],
    fields: [...PLAN_FIELDS.map((name) => `plans[].${name}`), 'total'],
  },
  {
    answer: 'PlansResponse',
    pages: 'plans',
    test: [queryTest('plans/plans'), 'the plan "%s" has the ending %s, because %s'],
    fields: ['plans[].loops'],
  },
  {
    answer: 'PlanResponse',
    pages: 'plan',
    test: [queryTest('plans/plans'), 'the page of the plan "%s" agrees with the oracle'],
    fields: [
      ...[...PLAN_FIELDS, 'loops'].map((name) => `plan.${name}`),
      ...['calls', 'errors', 'repeatedCalls', 'durationMs'].map((name) => `steps[].${name}`),
      'sessions[].calls',
      ...['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`),
    ],
  },
  {
    answer: 'PlanResponse',
    pages: 'plan: missing steps',
    test: [
      queryTest('plans/plans'),
      'a step that six like plans make is skipped, and one that they make later is not reached',
    ],
    fields: ['likePlans', 'minLikePlans', 'minShare', 'missing[].plans'].map((name) => `comparison.${name}`),
  },
  {
    answer: 'CallsResponse',
    pages: 'calls',
    test: [
      queryTest('sessions/cut-sessions'),
      'a session that the range cuts contributes only its calls of the range to stats',
    ],
    fields: ['durationMs', 'argumentsBytes', 'resultBytes'].map((name) => `calls[].${name}`),
  },
  {
    answer: 'CallHistogramResponse',
    pages: 'calls',
    test: [
      queryTest('calls/call-values'),
      'the bars of the histogram add up to the calls, by outcome and minute, when %s',
    ],
    fields: ['bucketSeconds', 'series[].points[][0]', 'series[].points[][1]'],
  },
  {
    answer: 'CallValuesResponse',
    pages: 'calls: filters, error patterns',
    test: [
      queryTest('calls/call-values'),
      'the filter values are those of the calls when',
      'the total of the filter values equals the length of the call list',
      'the error patterns are the repeated messages',
    ],
    fields: ['total', 'values[].values[].count', 'patterns[].count'],
  },
  {
    answer: 'LoopsResponse',
    pages: 'overview, loops',
    test: [queryTest('overview/silent-hour'), 'the wasted calls in $name agree with the oracle'],
    fields: ['total', 'active', 'wastedCalls'],
  },
  {
    answer: 'LoopsResponse',
    pages: 'overview, loops',
    test: [queryTest('loops/loops'), 'a loop in the list has all its stored fields'],
    fields: LOOP_FIELDS.map((name) => `loops[].${name}`),
  },
  {
    answer: 'SessionResponse',
    pages: 'session: loops',
    test: [queryTest('loops/loops'), 'a session lists its loops, and its count of loops excludes notes'],
    fields: LOOP_FIELDS.map((name) => `loops[].${name}`),
  },
];
