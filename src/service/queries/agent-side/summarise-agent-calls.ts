// Rows and sums over calls of agents that were joined with those of servers. Pure.

import type { AgentCallRow, AgentToolRow } from '../../../contract/agent-side.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import type { AgentSideCall } from './read-agent-side.ts';

export function toAgentCallRow(call: AgentSideCall): AgentCallRow {
  const { agentCall, serverCalls, state, server, tool } = call;
  const [served] = serverCalls;
  return {
    startedAt: formatIso(agentCall.startedAtUs),
    traceId: agentCall.traceId,
    spanId: agentCall.spanId,
    agent: agentCall.agent,
    emitter: agentCall.emitter,
    agentSession: agentCall.agentSession,
    agentTool: agentCall.tool,
    ...{ state, server, tool },
    waitedMs: agentCall.durationUs / 1_000,
    serverMs: served ? toServerUs(call) / 1_000 : null,
    beyondMs: served ? toBeyondUs(call) / 1_000 : null,
    failed: agentCall.failed === 1,
    failedAfterSuccess: isFailedAfterSuccess(call),
    errorMessage: agentCall.errorMessage,
    serverCall: served ? `${served.traceId}.${served.spanId}` : null,
  };
}

export function isFailedAfterSuccess({ agentCall, serverCalls }: AgentSideCall): boolean {
  const last = serverCalls.at(-1);
  return agentCall.failed === 1 && last !== undefined && last.outcome === 'ok';
}

/** Number of calls by what became of them. */
export function countAgentCalls(calls: readonly AgentSideCall[]) {
  const count = (test: (call: AgentSideCall) => boolean): number => calls.filter(test).length;
  return {
    calls: calls.length,
    joined: count(({ state }) => state === 'joined'),
    unreached: count(({ state }) => state === 'unreached'),
    untraced: count(({ state }) => state === 'untraced'),
    other: count(({ state }) => state === 'other'),
    failed: count(({ agentCall }) => agentCall.failed === 1),
    failedAfterSuccess: count(isFailedAfterSuccess),
  };
}

/** Milliseconds that the joined calls took on each side. */
export function sumTimes(calls: readonly AgentSideCall[]) {
  const joined = calls.filter(({ state }) => state === 'joined');
  const sum = (toUs: (call: AgentSideCall) => number): number =>
    joined.reduce((total, call) => total + toUs(call), 0) / 1_000;
  return { waitedMs: sum(toWaitedUs), serverMs: sum(toServerUs), beyondMs: sum(toBeyondUs) };
}

/** One row for each agent and tool of a server, the most time beyond the server first. */
export function toAgentTools(calls: readonly AgentSideCall[]): AgentToolRow[] {
  const groups = groupBy(
    calls.filter(({ state }) => state !== 'other'),
    ({ agentCall: { agent, emitter }, server, tool }) => JSON.stringify([agent, emitter, server, tool]),
  );
  const rows = [...groups.values()].flatMap((own) => toAgentTool(own) ?? []);
  return rows.sort((one, other) => other.beyondMs - one.beyondMs || other.calls - one.calls);
}

function toAgentTool(calls: readonly AgentSideCall[]): AgentToolRow | undefined {
  const [first] = calls;
  if (first === undefined) return undefined;
  const { agentCall, server, tool } = first;
  const joined = calls.filter(({ state }) => state === 'joined');
  const at = (quantile: number, toUs: (call: AgentSideCall) => number): number | null =>
    findPercentile(joined.map(toUs), quantile);
  const { other: _, ...counts } = countAgentCalls(calls);
  return {
    ...{ agent: agentCall.agent, emitter: agentCall.emitter, server, tool },
    ...counts,
    waitedP50Ms: at(0.5, toWaitedUs),
    serverP50Ms: at(0.5, toServerUs),
    beyondP50Ms: at(0.5, toBeyondUs),
    beyondP95Ms: at(0.95, toBeyondUs),
    beyondMs: sumTimes(joined).beyondMs,
  };
}

const toWaitedUs = ({ agentCall }: AgentSideCall): number => agentCall.durationUs;

const toServerUs = ({ serverCalls }: AgentSideCall): number =>
  serverCalls.reduce((sum, { durationUs }) => sum + durationUs, 0);

/** Never negative: the clocks of two machines run at slightly different speed. */
const toBeyondUs = (call: AgentSideCall): number => Math.max(0, toWaitedUs(call) - toServerUs(call));

/** The nearest rank in milliseconds; null without values. */
function findPercentile(valuesUs: readonly number[], quantile: number): number | null {
  const sorted = [...valuesUs].sort((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)];
  return value === undefined ? null : value / 1_000;
}
