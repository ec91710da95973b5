// Reads calls of agents, the calls of servers in their traces, and the tools of servers. Without calls of agents only one
// statement runs.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { AGENT_EMITTERS } from '../../../core/model/agent-call.ts';
import { count } from '../../store/row-codec.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import { allOf, rawSql, type Where } from '../query/filters.ts';
import { inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { type ClassifiedCall, classifyAgentCalls, type KnownTool } from './classify-agent-calls.ts';
import { joinAgentCalls } from './join-agent-calls.ts';

/** Calls of servers that are joined with those of agents. */
const MAX_SERVER_CALLS = 50_000;
const MAX_TOOLS = 20_000;
/** A call of a server starts within that of the agent, which may be as long as this. */
const MARGIN_MS = 3_600_000;

const AgentRow = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  emitter: z.enum(AGENT_EMITTERS),
  agent: z.string(),
  agentSession: z.string(),
  tool: z.string(),
  startedAtUs: count,
  durationUs: count,
  failed: count,
  errorMessage: z.string(),
});
export type AgentRow = z.infer<typeof AgentRow>;

const ServerRow = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string(),
  server: z.string(),
  tool: z.string(),
  session: z.string(),
  startedAtUs: count,
  durationUs: count,
  outcome: z.string(),
  isSelected: count,
});
export type ServerRow = z.infer<typeof ServerRow>;

const ToolRow = z.object({ server: z.string(), tool: z.string() });

export type AgentSideCall = ClassifiedCall<AgentRow, ServerRow>;

export interface AgentSideSelection {
  /** Condition on the calls of agents. */
  readonly where: Where;
  /** The traces of these calls, as a condition on the calls of servers. */
  readonly traces: Where;
  readonly range: TimeRange;
  /** Condition that marks calls of servers as selected. */
  readonly selected: Where;
  /** Newest calls of agents that are read. */
  readonly limit: number;
}

/** Reads and joins both sides. */
export async function readAgentSide(
  selection: AgentSideSelection,
  context: QueryContext,
): Promise<{ readonly calls: readonly AgentSideCall[]; readonly isLimited: boolean }> {
  const rows = await readAgentCalls(selection, context);
  if (rows.length === 0) return { calls: [], isLimited: false };
  const [serverCalls, tools] = await Promise.all([
    readServerCalls(selection, context),
    readKnownTools(context),
  ]);
  const agentCalls = rows.slice(0, selection.limit);
  const calls = classifyAgentCalls(joinAgentCalls(agentCalls, serverCalls), tools);
  return { calls, isLimited: rows.length > selection.limit };
}

/** One more than the limit. */
function readAgentCalls({ where, limit }: AgentSideSelection, { store }: QueryContext): Promise<AgentRow[]> {
  return store.query({
    sql: `
    SELECT trace_id AS traceId, span_id AS spanId, parent_span_id AS parentSpanId, toString(emitter) AS emitter,
      toString(agent) AS agent, session_id AS agentSession, toString(tool_name) AS tool,
      toUnixTimestamp64Micro(started_at) AS startedAtUs, duration_us AS durationUs, failed,
      error_message AS errorMessage
    FROM agent_calls
    WHERE ${where.sql}
    ORDER BY started_at DESC, trace_id, span_id
    LIMIT 1 BY trace_id, span_id
    LIMIT ${limit + 1}`,
    params: where.params,
    row: AgentRow,
  });
}

function readServerCalls(
  { traces, range, selected }: AgentSideSelection,
  { store }: QueryContext,
): Promise<ServerRow[]> {
  // The same parameters as those of the other conditions, which then cover the wider range, too.
  const wide = { fromMs: Math.max(0, range.fromMs - MARGIN_MS), toMs: range.toMs + MARGIN_MS };
  const where = allOf(rawSql(COUNTED_CALLS), inRange('started_at', wide), traces);
  return store.query({
    sql: `
    SELECT trace_id AS traceId, span_id AS spanId, parent_span_id AS parentSpanId,
      toString(server_name) AS server, toString(tool_name) AS tool, session_id AS session,
      toUnixTimestamp64Micro(started_at) AS startedAtUs, duration_us AS durationUs, toString(outcome) AS outcome,
      ${selected.sql === '' ? '1' : `toUInt8(${selected.sql})`} AS isSelected
    FROM calls
    WHERE ${where.sql}
    ORDER BY started_at DESC
    LIMIT 1 BY trace_id, span_id
    LIMIT ${MAX_SERVER_CALLS}`,
    params: { ...where.params, ...selected.params },
    row: ServerRow,
  });
}

function readKnownTools({ store }: QueryContext): Promise<KnownTool[]> {
  return store.query({
    sql: `
    SELECT toString(server_name) AS server, toString(tool_name) AS tool FROM tools
    UNION DISTINCT
    SELECT toString(server_name) AS server, toString(tool_name) AS tool FROM tool_usage
    LIMIT ${MAX_TOOLS}`,
    row: ToolRow,
  });
}
