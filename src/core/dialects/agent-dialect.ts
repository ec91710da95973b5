// Tool calls as agents and their frameworks write them. They are no calls of a server: a server's own span, or that of
// `observe`, counts the call, and adding the agent's would count it twice. `readAgentCall` reads them for a side of their own.

import { findFramework } from './agent-emitters.ts';
import type { Dialect } from './dialect.ts';

export const agentDialect: Dialect = {
  name: 'agent',
  names: new Set(),
  matches: (span) => findFramework(span) !== undefined,
  read: () => ({ kind: 'ignored', reason: 'agent_side' }),
};
