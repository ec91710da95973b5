// What agents waited for their tool calls beyond the time of the servers, and calls that did not reach one. Reads the newest
// calls of agents in the range, and the calls of servers in their traces.

import type { AgentSideResponse, SessionAgentSideResponse } from '../../../contract/agent-side.ts';
import { passesFilter } from '../../../contract/filter-value.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import type { SessionQuery } from '../../../contract/sessions.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import {
  allOf,
  type CommonFilters,
  canFilter,
  listActiveFilters,
  type Where,
  whereFilters,
} from '../query/filters.ts';
import { alignRange, inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { findSession, type Lookup } from '../sessions/session.ts';
import { type AgentSideCall, readAgentSide } from './read-agent-side.ts';
import {
  countAgentCalls,
  isFailedAfterSuccess,
  sumTimes,
  toAgentCallRow,
  toAgentTools,
} from './summarise-agent-calls.ts';

/** Calls of agents that are joined at once; twenty thousand take a quarter of a second. */
const MAX_AGENT_CALLS = 10_000;
const MAX_TOOLS = 200;
const MAX_NOTABLE = 50;
const MAX_SESSION_CALLS = 500;
/** The agent may have waited before the first call of the session and after its last. */
const SESSION_MARGIN_MS = 3_600_000;

/**
 * The agent's side of a range. Filters select calls that a server reported; a call that none did has a server and a tool by its
 * name only.
 */
export async function getAgentSide(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<AgentSideResponse> {
  const { range: requested, ...filters } = query;
  const range = alignRange(requested, context);
  const where = inRange('started_at', range);
  const { calls: all, isLimited } = await readAgentSide(
    {
      where,
      traces: tracesOf(where),
      range,
      selected: whereFilters('calls', filters),
      limit: MAX_AGENT_CALLS,
    },
    context,
  );
  const areAllKnown = canFilter('tools', filters);
  const isFiltered = listActiveFilters(filters).length > 0;
  const calls = all.filter((call) => isSelected(call, filters));
  const { unreached, untraced, other, ...counts } = countAgentCalls(calls);
  const oldest = Math.min(...all.map(({ agentCall }) => agentCall.startedAtUs));
  return {
    ...{ range, firstAt: all.length === 0 ? null : formatIso(oldest), isLimited, ...counts },
    unreached: areAllKnown ? unreached : null,
    untraced: areAllKnown ? untraced : null,
    other: isFiltered ? null : other,
    tools: toAgentTools(calls).slice(0, MAX_TOOLS),
    notable: toNotable(calls).map(toAgentCallRow),
  };
}

/** As a subquery, because thousands of ids would be a long statement. */
const tracesOf = ({ sql, params }: Where): Where => ({
  sql: `trace_id IN (SELECT trace_id FROM agent_calls WHERE ${sql})`,
  params,
});

function isSelected({ state, server, tool, serverCalls }: AgentSideCall, filters: CommonFilters): boolean {
  if (state === 'joined') return serverCalls.some((call) => call.isSelected === 1);
  if (!canFilter('tools', filters)) return false;
  return passesFilter(filters.server, server) && passesFilter(filters.tool, tool);
}

function toNotable(calls: readonly AgentSideCall[]): AgentSideCall[] {
  return calls
    .filter((call) => call.state === 'unreached' || isFailedAfterSuccess(call))
    .sort((one, other) => other.agentCall.startedAtUs - one.agentCall.startedAtUs)
    .slice(0, MAX_NOTABLE);
}

/** The agent's side of one session: the calls of agents in its traces, or in a conversation of its id. */
export async function getSessionAgentSide(
  id: string,
  { server }: SessionQuery,
  context: QueryContext,
): Promise<Lookup<{ readonly response: SessionAgentSideResponse }>> {
  const found = await findSession(id, server, context);
  if (found.status !== 'found') return found;
  const { session } = found;
  const range: TimeRange = {
    fromMs: Math.max(0, Math.floor(session.started_us / 1_000) - SESSION_MARGIN_MS),
    toMs: Math.floor(session.ended_us / 1_000) + SESSION_MARGIN_MS,
  };
  const own = allOf(
    whereFilters('calls', { server: session.server_name, session: session.session_id }),
    { sql: 'session_source = {source:String}', params: { source: session.session_source } },
    inRange('started_at', range),
  );
  const where = allOf(inRange('started_at', range), {
    sql: `(trace_id IN (SELECT trace_id FROM calls WHERE ${own.sql}) OR session_id = {agent_session:String})`,
    params: { ...own.params, agent_session: session.session_id },
  });
  const { calls: all, isLimited } = await readAgentSide(
    { where, traces: tracesOf(where), range, selected: own, limit: MAX_AGENT_CALLS },
    context,
  );
  const calls = all.filter((call) => isOfSession(call, session.server_name));
  const { untraced: _, other: __, ...counts } = countAgentCalls(calls);
  const inOrder = [...calls].sort((one, other) => one.agentCall.startedAtUs - other.agentCall.startedAtUs);
  const response = {
    ...{ ...counts, ...sumTimes(calls) },
    isLimited: isLimited || inOrder.length > MAX_SESSION_CALLS,
    agentCalls: inOrder.slice(0, MAX_SESSION_CALLS).map(toAgentCallRow),
  };
  return { status: 'found', response };
}

/** A call that reached no server is of this session if it was meant for its server. */
function isOfSession({ state, server, serverCalls }: AgentSideCall, ofServer: string): boolean {
  return state === 'joined'
    ? serverCalls.some((call) => call.isSelected === 1)
    : state === 'unreached' && server === ofServer;
}
