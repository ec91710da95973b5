// Which call of a server a call of an agent became, and what is known of those that became none.
import { describe, expect, test } from 'vitest';
import {
  classifyAgentCalls,
  type NamedAgentCall,
  type NamedServerCall,
} from '../../../../src/service/queries/agent-side/classify-agent-calls.ts';
import { isSameTool, joinAgentCalls } from '../../../../src/service/queries/agent-side/join-agent-calls.ts';

/** Milliseconds. */
type Span = readonly [from: number, to: number];

const toTimes = ([from, to]: Span) => ({ startedAtUs: from * 1_000, durationUs: (to - from) * 1_000 });
const toAgentCall = (spanId: string, span: Span, facts: Partial<NamedAgentCall> = {}): NamedAgentCall => ({
  ...{ traceId: 't', spanId, parentSpanId: '', tool: 'search', emitter: 'gen_ai', agent: 'bot' },
  ...toTimes(span),
  ...facts,
});
const toServerCall = (spanId: string, span: Span, facts: Partial<NamedServerCall> = {}): NamedServerCall => ({
  ...{ traceId: 't', spanId, parentSpanId: 'elsewhere', tool: 'search', server: 'wiki' },
  ...toTimes(span),
  ...facts,
});

const join = (agentCalls: readonly NamedAgentCall[], serverCalls: readonly NamedServerCall[]) =>
  Object.fromEntries(
    joinAgentCalls(agentCalls, serverCalls).map(({ agentCall, serverCalls: own }) => [
      agentCall.spanId,
      own.map(({ spanId }) => spanId),
    ]),
  );

describe('joining calls of agents with those of servers', () => {
  test.each<[string, readonly NamedAgentCall[], readonly NamedServerCall[], object]>([
    [
      'the parent of the server’s span decides, not the time',
      [toAgentCall('a', [0, 50]), toAgentCall('b', [0, 50])],
      [toServerCall('x', [5, 20], { parentSpanId: 'b' })],
      { a: [], b: ['x'] },
    ],
    [
      'a client may try again within one call of the agent',
      [toAgentCall('a', [0, 90])],
      [toServerCall('x', [5, 20], { parentSpanId: 'a' }), toServerCall('y', [50, 70], { parentSpanId: 'a' })],
      { a: ['x', 'y'] },
    ],
    [
      'without the parent, each call of a tool takes the nearest in its trace',
      [toAgentCall('a', [0, 20]), toAgentCall('b', [40, 60])],
      [toServerCall('x', [45, 50]), toServerCall('y', [5, 10])],
      { a: ['y'], b: ['x'] },
    ],
    [
      'clocks may differ by a second',
      [toAgentCall('a', [1_000, 1_020])],
      [toServerCall('x', [200, 210])],
      { a: ['x'] },
    ],
    [
      'what was long before is another call',
      [toAgentCall('a', [5_000, 5_020])],
      [toServerCall('x', [200, 210])],
      { a: [] },
    ],
    ['another trace', [toAgentCall('a', [0, 20])], [toServerCall('x', [5, 9], { traceId: 'u' })], { a: [] }],
    ['another tool', [toAgentCall('a', [0, 20])], [toServerCall('x', [5, 9], { tool: 'read' })], { a: [] }],
    [
      'the agent names the tool with a prefix',
      [toAgentCall('a', [0, 20], { tool: 'mcp__wiki__search' })],
      [toServerCall('x', [5, 9])],
      { a: ['x'] },
    ],
    [
      'a framework and the MCP client below it report the same call',
      [
        toAgentCall('a', [0, 20], { tool: 'wiki_search' }),
        toAgentCall('b', [2, 18], { emitter: 'mcp_client' }),
      ],
      [toServerCall('x', [5, 9], { parentSpanId: 'b' })],
      { a: ['x'] },
    ],
    [
      'two calls at once of one framework are two',
      [toAgentCall('a', [0, 20]), toAgentCall('b', [2, 18])],
      [],
      { a: [], b: [] },
    ],
  ])('%s', (_because, agentCalls, serverCalls, expected) => {
    expect(join(agentCalls, serverCalls)).toEqual(expected);
  });

  test('thousands of calls in one trace are joined one to one in a moment', () => {
    const at = Array.from({ length: 10_000 }, (_, n) => n);
    const agentCalls = at.map((n) => toAgentCall(`a${n}`, [n * 10, n * 10 + 9]));
    const serverCalls = at.map((n) => toServerCall(`s${n}`, [n * 10 + 1, n * 10 + 5]));
    const joined = join(agentCalls, serverCalls);
    expect(at.every((n) => joined[`a${n}`]?.[0] === `s${n}`)).toBe(true);
  });

  test.each<[string, string, boolean, string]>([
    ['search', 'search', true, 'the same name'],
    ['mcp__wiki__search', 'search', true, 'a prefix that ends in an underscore'],
    ['wiki:search', 'search', true, 'a prefix that ends in a colon'],
    ['research', 'search', false, 'the end of a word is no name'],
    ['search', 'mcp__wiki__search', false, 'a server has no prefix for itself'],
    ['search', '', false, 'a call without a tool'],
  ])('that an agent’s %s is the tool "%s" of a server is %s: %s', (agentTool, tool, expected) => {
    expect(isSameTool(agentTool, tool)).toBe(expected);
  });
});

describe('calls of agents that no server reported', () => {
  const KNOWN = [
    { server: 'wiki', tool: 'search' },
    { server: 'wiki', tool: 'deep_search' },
    { server: 'mail', tool: 'send' },
  ];
  const traced = toAgentCall('traced', [0, 20], { traceId: 'u' });
  const served = toServerCall('x', [5, 9], { traceId: 'u', parentSpanId: 'traced' });

  test.each<[Partial<NamedAgentCall>, object, string]>([
    [
      {},
      { state: 'unreached', server: 'wiki', tool: 'search' },
      'the agent passes its trace on to the server that has this tool',
    ],
    [
      { tool: 'x_deep_search' },
      { state: 'unreached', tool: 'deep_search' },
      'the longest name behind a prefix is the tool',
    ],
    [
      { tool: 'send' },
      { state: 'untraced', server: 'mail' },
      'no call shows that this server gets the trace',
    ],
    [{ agent: 'other' }, { state: 'untraced', server: 'wiki' }, 'another agent may not pass it on'],
    [{ tool: 'shell' }, { state: 'other', server: '', tool: '' }, 'no server has this tool'],
  ])('%j is %j: %s', (facts, expected) => {
    const joined = joinAgentCalls([traced, toAgentCall('a', [100, 120], facts)], [served]);
    const classified = classifyAgentCalls(joined, KNOWN);
    expect(classified.find(({ agentCall }) => agentCall.spanId === 'a')).toMatchObject(expected);
    expect(classified[0]).toMatchObject({ state: 'joined', server: 'wiki', tool: 'search' });
  });
});
