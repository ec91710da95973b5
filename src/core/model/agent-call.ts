// A tool call as the agent or its framework reports it: how long the agent waited, and how the call ended for it. Never part of
// a server's figures.

/** Who reports the call: a framework, or the SDK of an MCP client. `gen_ai` is any that follows the GenAI conventions. */
export const AGENT_EMITTERS = [
  ...(['gen_ai', 'ai_sdk', 'openinference', 'traceloop', 'langfuse'] as const),
  ...(['logfire', 'mcp_client'] as const),
] as const;

export type AgentEmitter = (typeof AGENT_EMITTERS)[number];

/** Redacted; without arguments and results. */
export interface AgentCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly durationUs: number;
  readonly emitter: AgentEmitter;
  /** The service name of its process; '' without one. */
  readonly agent: string;
  /** The agent's own name of its conversation; '' without one. */
  readonly sessionId: string;
  /** As the agent names the tool, perhaps with a prefix for the server. */
  readonly tool: string;
  readonly failed: boolean;
  readonly errorType: string;
  /** Redacted by the capture mode, like the message of a call. */
  readonly errorMessage: string;
}
