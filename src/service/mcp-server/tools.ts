import { explainToolFailures, getToolAdvice } from './failure-tools.ts';
import { getHealthSummary, listToolHealth } from './health-tools.ts';
import { getLoopEvidence, listSuspectedLoops } from './loop-tools.ts';
import { getAgentSession, listAgentSessions } from './session-tools.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** Every tool of the server, in the order in which they are listed. All of them only read. */
export const TOOLS: readonly ToolDefinition[] = [
  getHealthSummary,
  listToolHealth,
  explainToolFailures,
  getToolAdvice,
  listSuspectedLoops,
  getLoopEvidence,
  listAgentSessions,
  getAgentSession,
];
