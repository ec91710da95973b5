// What the fixture's agent reports of its tool calls.
import { AgentSideResponse, SessionAgentSideResponse } from '../../src/contract/agent-side.ts';
import type { CallRow } from '../../src/contract/calls.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';

const BEYOND_MS = 120;

function toAgentCall({ traceId, spanId, startedAt, server, tool, durationMs }: CallRow) {
  return {
    ...{
      startedAt,
      traceId,
      spanId: spanId.split('').toReversed().join(''),
      agent: 'planner',
      emitter: 'gen_ai',
    },
    ...{ agentSession: '', agentTool: `mcp__${server}__${tool}`, state: 'joined', server, tool },
    ...{ waitedMs: durationMs + BEYOND_MS, serverMs: durationMs, beyondMs: BEYOND_MS },
    ...{ failed: false, failedAfterSuccess: false, errorMessage: '', serverCall: `${traceId}.${spanId}` },
  };
}

/** One tool of one agent, whose newest call did not reach the server. */
export function toAgentSide(calls: readonly CallRow[], range: TimeRange): AgentSideResponse {
  const own = calls.filter(({ tool }) => tool === 'search_issues');
  const [newest] = own;
  const counts = {
    calls: own.length + 1,
    joined: own.length,
    failed: 1,
    failedAfterSuccess: 0,
    unreached: 1,
  };
  if (!newest)
    return AgentSideResponse.parse({
      ...{ range, firstAt: null, isLimited: false, calls: 0, joined: 0, failed: 0, failedAfterSuccess: 0 },
      ...{ unreached: 0, untraced: 0, other: 0, tools: [], notable: [] },
    });
  const { server, tool } = newest;
  return AgentSideResponse.parse({
    ...{ range, firstAt: newest.startedAt, isLimited: false, ...counts, untraced: 0, other: 0 },
    tools: [
      {
        ...{ ...counts, agent: 'planner', emitter: 'gen_ai', server, tool, untraced: 0 },
        ...{ waitedP50Ms: 260, serverP50Ms: 140, beyondP50Ms: BEYOND_MS, beyondP95Ms: 310 },
        beyondMs: BEYOND_MS * own.length,
      },
    ],
    notable: [
      {
        ...toAgentCall(newest),
        ...{ state: 'unreached', serverMs: null, beyondMs: null, failed: true, serverCall: null },
        errorMessage: 'fetch failed',
      },
    ],
  });
}

export function toSessionAgentSide(calls: readonly CallRow[]): SessionAgentSideResponse {
  const own = calls.filter(({ method }) => method === 'tools/call').map(toAgentCall);
  const sum = (toMs: (call: (typeof own)[number]) => number) =>
    own.reduce((total, one) => total + toMs(one), 0);
  return SessionAgentSideResponse.parse({
    ...{ calls: own.length, joined: own.length, failed: 0, failedAfterSuccess: 0, unreached: 0 },
    waitedMs: sum(({ waitedMs }) => waitedMs),
    serverMs: sum(({ serverMs }) => serverMs),
    beyondMs: sum(({ beyondMs }) => beyondMs),
    ...{ isLimited: false, agentCalls: own.slice(0, 500) },
  });
}
