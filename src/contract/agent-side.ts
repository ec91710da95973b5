// Tool calls as agents and their frameworks report them, beside the calls of servers they became.

import { z } from 'zod';
import { AGENT_EMITTERS } from '../core/model/agent-call.ts';
import { count, milliseconds, Range, time } from './fields.ts';

/**
 * Where a call of an agent is on the servers' side. `joined`: a server reported it. `unreached`: none did, although this agent
 * passes its trace on to a server with that tool. `untraced`: a server has that tool, but no call of this agent carries the trace
 * there, so nothing is known. `other`: no known server has that tool.
 */
export const AGENT_CALL_STATES = ['joined', 'unreached', 'untraced', 'other'] as const;
export type AgentCallState = (typeof AGENT_CALL_STATES)[number];

export const AgentCallRow = z.object({
  startedAt: time,
  traceId: z.string(),
  spanId: z.string(),
  /** The service name of the agent's process; may be empty. */
  agent: z.string(),
  emitter: z.enum(AGENT_EMITTERS),
  /** The agent's own name of its conversation; may be empty. */
  agentSession: z.string(),
  /** As the agent names it. */
  agentTool: z.string(),
  state: z.enum(AGENT_CALL_STATES),
  /** Of the call that a server reported, or of the tool that has this name; empty for `other`. */
  server: z.string(),
  tool: z.string(),
  /** How long the agent waited. */
  waitedMs: z.number().nonnegative(),
  /** Null without a call of a server; a sum if the client tried several times. */
  serverMs: milliseconds,
  /** What the agent waited beyond the time of the server. */
  beyondMs: milliseconds,
  failed: z.boolean(),
  /** Whether the call failed for the agent although the server answered it with success. */
  failedAfterSuccess: z.boolean(),
  /** By the capture mode. */
  errorMessage: z.string(),
  /** Id of the server's call, `traceId.spanId`; null without one. */
  serverCall: z.string().nullable(),
});
export type AgentCallRow = z.infer<typeof AgentCallRow>;

const AgentCallCounts = z.object({ calls: count, joined: count, failed: count, failedAfterSuccess: count });

export const AgentToolRow = AgentCallCounts.extend({
  agent: z.string(),
  emitter: z.enum(AGENT_EMITTERS),
  server: z.string(),
  tool: z.string(),
  unreached: count,
  untraced: count,
  /** Of joined calls. */
  waitedP50Ms: milliseconds,
  serverP50Ms: milliseconds,
  beyondP50Ms: milliseconds,
  beyondP95Ms: milliseconds,
  beyondMs: z.number().nonnegative(),
});
export type AgentToolRow = z.infer<typeof AgentToolRow>;

export const AgentSideResponse = AgentCallCounts.extend({
  range: Range,
  /** Start of the oldest call that was read; null if there is none. */
  firstAt: time.nullable(),
  /** Whether the range has more calls than are read, of which these are the newest. */
  isLimited: z.boolean(),
  /** Null with a filter that only calls of servers have: environment, client, version or plan. */
  unreached: count.nullable(),
  untraced: count.nullable(),
  other: count.nullable(),
  /** Most time beyond the server first, at most 200. */
  tools: z.array(AgentToolRow),
  /** Newest calls that did not reach the server or failed after its success, at most 50. */
  notable: z.array(AgentCallRow),
});
export type AgentSideResponse = z.infer<typeof AgentSideResponse>;

export const SessionAgentSideResponse = AgentCallCounts.extend({
  unreached: count,
  waitedMs: z.number().nonnegative(),
  /** Of joined calls. */
  serverMs: z.number().nonnegative(),
  beyondMs: z.number().nonnegative(),
  isLimited: z.boolean(),
  /** In order, at most 500. */
  agentCalls: z.array(AgentCallRow),
});
export type SessionAgentSideResponse = z.infer<typeof SessionAgentSideResponse>;
