// What is known of the calls of agents that no server reported. Pure.

import type { AgentCallState } from '../../../contract/agent-side.ts';
import { type EmittedCall, isSameTool, type JoinedCall, type TracedCall } from './join-agent-calls.ts';

/** A tool that a server offers or offered. */
export interface KnownTool {
  readonly server: string;
  readonly tool: string;
}

export interface NamedAgentCall extends EmittedCall {
  readonly agent: string;
}

export interface NamedServerCall extends TracedCall {
  readonly server: string;
}

export interface ClassifiedCall<Agent, Server> extends JoinedCall<Agent, Server>, KnownTool {
  readonly state: AgentCallState;
}

/**
 * Tells calls that did not reach a server from those of which nothing is known. A call that no server reported says nothing
 * unless the agent passes its trace on to a server with that tool, which another call of it has to show.
 */
export function classifyAgentCalls<Agent extends NamedAgentCall, Server extends NamedServerCall>(
  joined: readonly JoinedCall<Agent, Server>[],
  knownTools: readonly KnownTool[],
): ClassifiedCall<Agent, Server>[] {
  const traced = new Set(
    joined.flatMap(({ agentCall, serverCalls }) =>
      serverCalls.map(({ server }) => toPair(agentCall, server)),
    ),
  );
  const ownersOf = memoise((name) => findOwners(name, knownTools));
  return joined.map(({ agentCall, serverCalls }) => {
    const [served] = serverCalls;
    if (served) return { agentCall, serverCalls, state: 'joined', server: served.server, tool: served.tool };
    const owners = ownersOf(agentCall.tool);
    const reached = owners.find(({ server }) => traced.has(toPair(agentCall, server)));
    const { server, tool } = reached ?? owners[0] ?? { server: '', tool: '' };
    const state = reached ? 'unreached' : owners.length > 0 ? 'untraced' : 'other';
    return { agentCall, serverCalls, state, server, tool };
  });
}

const toPair = ({ agent, emitter }: NamedAgentCall, server: string): string =>
  JSON.stringify([agent, emitter, server]);

/** The tools that a name may mean: those of that name, else those with the longest name behind a prefix. */
function findOwners(name: string, knownTools: readonly KnownTool[]): readonly KnownTool[] {
  const same = knownTools.filter(({ tool }) => isSameTool(name, tool));
  const longest = Math.max(...same.map(({ tool }) => tool.length));
  return same.filter(({ tool }) => tool.length === longest);
}

function memoise<Value>(compute: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>();
  return (name) => {
    const value = known.get(name) ?? compute(name);
    known.set(name, value);
    return value;
  };
}
