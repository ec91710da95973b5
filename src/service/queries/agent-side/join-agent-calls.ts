// Finds the calls of servers that the calls of agents became: by the parent of the server's span, else in the same trace by tool
// and time. Pure.

import { groupBy } from '../../../core/values/group-by.ts';

/** A call on either side, in microseconds since the epoch. */
export interface TracedCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly tool: string;
  readonly startedAtUs: number;
  readonly durationUs: number;
}

export interface EmittedCall extends TracedCall {
  readonly emitter: string;
}

export interface JoinedCall<Agent, Server> {
  readonly agentCall: Agent;
  /** Several if the client tried again within one call of the agent; empty if none is known. */
  readonly serverCalls: readonly Server[];
}

/** By how much the clocks of two machines may differ. */
const MAX_SKEW_US = 1_000_000;

/**
 * Joins the calls of agents with those of servers. A framework and the MCP client below it may both report a call: it counts once,
 * by the outer one.
 */
export function joinAgentCalls<Agent extends EmittedCall, Server extends TracedCall>(
  agentCalls: readonly Agent[],
  serverCalls: readonly Server[],
): JoinedCall<Agent, Server>[] {
  const serversOf = groupBy(serverCalls, ({ traceId }) => traceId);
  const traces = [...groupBy(agentCalls, ({ traceId }) => traceId)];
  return traces.flatMap(([traceId, own]) => joinTrace(own, serversOf.get(traceId) ?? []));
}

function joinTrace<Agent extends EmittedCall, Server extends TracedCall>(
  agentCalls: readonly Agent[],
  serverCalls: readonly Server[],
): JoinedCall<Agent, Server>[] {
  const byTail = groupBy([...agentCalls].sort(byOuterFirst), ({ tool }) => toTail(tool));
  const outerOf = new Map<string, Agent>();
  for (const calls of byTail.values())
    for (const [index, call] of calls.entries()) outerOf.set(call.spanId, findOuter(index, calls) ?? call);
  const joined = new Map([...outerOf.values()].map((call): [Agent, Server[]] => [call, []]));
  const rest: Server[] = [];
  for (const call of serverCalls) {
    const parent = outerOf.get(call.parentSpanId);
    if (parent) joined.get(parent)?.push(call);
    else rest.push(call);
  }
  for (const call of rest.sort((one, other) => one.startedAtUs - other.startedAtUs)) {
    const found = findNearest(
      call,
      byTail.get(toTail(call.tool)) ?? [],
      (one) => joined.get(one)?.length === 0,
    );
    if (found) joined.get(found)?.push(call);
  }
  return [...joined].map(([agentCall, own]) => ({ agentCall, serverCalls: own }));
}

/** Calls that are compared with one call: an agent has few at once, and a trace may have thousands. */
const MAX_NEIGHBOURS = 64;

const byOuterFirst = (one: TracedCall, other: TracedCall): number =>
  one.startedAtUs - other.startedAtUs || other.durationUs - one.durationUs;

const toEnd = ({ startedAtUs, durationUs }: TracedCall): number => startedAtUs + durationUs;

/** What follows the last separator: the same for a tool with and without a prefix. */
const toTail = (tool: string): string => /[\p{L}\p{N}]*$/u.exec(tool)?.[0] ?? '';

/** The first report before this one that covers it, of another emitter and the same tool. */
function findOuter<Agent extends EmittedCall>(index: number, calls: readonly Agent[]): Agent | undefined {
  const call = calls[index];
  return calls
    .slice(Math.max(0, index - MAX_NEIGHBOURS), index)
    .find(
      (other) =>
        call !== undefined &&
        other.emitter !== call.emitter &&
        (isSameTool(other.tool, call.tool) || isSameTool(call.tool, other.tool)) &&
        toEnd(other) >= toEnd(call),
    );
}

/** The free call of an agent with this tool that is nearest in time. */
function findNearest<Agent extends EmittedCall>(
  call: TracedCall,
  calls: readonly Agent[],
  isFree: (agentCall: Agent) => boolean,
): Agent | undefined {
  const at = countBefore(call.startedAtUs, calls);
  const distance = ({ startedAtUs }: TracedCall): number => Math.abs(startedAtUs - call.startedAtUs);
  return calls
    .slice(Math.max(0, at - MAX_NEIGHBOURS), at + MAX_NEIGHBOURS)
    .filter((one) => isFree(one) && isAtOnce(one, call) && isSameTool(one.tool, call.tool))
    .reduce<Agent | undefined>(
      (nearest, one) => (nearest && distance(nearest) <= distance(one) ? nearest : one),
      undefined,
    );
}

/** @param calls by their start @returns number of calls that start before this time */
function countBefore(startedAtUs: number, calls: readonly TracedCall[]): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.startedAtUs ?? 0) < startedAtUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isAtOnce = (agentCall: TracedCall, call: TracedCall): boolean =>
  call.startedAtUs >= agentCall.startedAtUs - MAX_SKEW_US &&
  call.startedAtUs <= toEnd(agentCall) + MAX_SKEW_US;

/** Whether the name that an agent gives a tool is the server's, perhaps after a prefix: `mcp__notes__search`. */
export function isSameTool(agentTool: string, tool: string): boolean {
  if (agentTool === tool) return true;
  return (
    tool !== '' &&
    agentTool.endsWith(tool) &&
    /[^\p{L}\p{N}]/u.test(agentTool.charAt(agentTool.length - tool.length - 1))
  );
}
