// Plays sessions the way they would happen: a real client, a real server under `observe()`, one connection each, over the
// wire of the SDK, with the recorded times on the clocks. Calls of one group are all under way before the first is answered.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { flush, observe } from '../../src/index.ts';
import { installVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import { type ReplayCall, type ReplaySession, toGroups } from './replay-session.ts';

export const REPLAY_SERVER = 'replayed';

/** Between two sessions. */
const SESSION_GAP_MS = 1_000;
const FLUSH_INTERVAL = 10;

/** @param endpoint of the service that is told */
export async function replayLive(sessions: readonly ReplaySession[], endpoint: string): Promise<void> {
  const clock = installVirtualClock();
  try {
    // The last call is made just now, whatever was recorded: the service takes none that is older than it keeps.
    let startMs =
      Date.now() - sessions.reduce((sum, session) => sum + durationOf(session) + SESSION_GAP_MS, 0);
    for (const [at, session] of sessions.entries()) {
      await replayOneSession(session, { endpoint, clock, startMs });
      // Hours are played in seconds: what waits to be sent is bounded, and nobody is to be dropped.
      if (at % FLUSH_INTERVAL === 0) await flush();
      startMs += durationOf(session) + SESSION_GAP_MS;
    }
  } finally {
    clock.restore();
  }
  await flush();
}

const durationOf = ({ calls }: ReplaySession): number =>
  Math.max(0, ...calls.map(({ startsAtMs, lastsMs }) => startsAtMs + lastsMs));

interface ReplayContext {
  readonly endpoint: string;
  readonly clock: VirtualClock;
  readonly startMs: number;
}

async function replayOneSession(
  session: ReplaySession,
  { endpoint, clock, startMs }: ReplayContext,
): Promise<void> {
  clock.set(startMs);
  const { server, begun, release } = createServer(session);
  observe(server, { endpoint, sessionId: () => session.id });
  const client = new Client({ name: 'replaying-agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  if (session.lists) await client.listTools();
  let requests = 0;
  for (const group of toGroups(session.calls)) {
    const answers = [];
    for (const call of group) {
      clock.set(startMs + call.startsAtMs);
      answers.push(client.callTool({ name: call.tool, arguments: call.arguments }));
      requests += 1;
      await begun(requests);
    }
    for (const [at, call] of group.entries()) {
      // Those that have no length end together, at the start of the last one, and in the order they came.
      clock.set(startMs + endOf(call, group));
      release(call);
      await answers[at];
    }
  }
  await client.close();
}

function endOf({ startsAtMs, lastsMs }: ReplayCall, group: readonly ReplayCall[]): number {
  return Math.max(startsAtMs + lastsMs, ...group.map((call) => call.startsAtMs));
}

/** A server that has the session's tools and gives the recorded answers when it is told to. */
function createServer({ calls }: ReplaySession) {
  const server = new Server({ name: REPLAY_SERVER, version: '1.0.0' }, { capabilities: { tools: {} } });
  const waiting: ((call: ReplayCall) => void)[] = [];
  let begun = 0;
  let notice = (): void => undefined;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toTools(calls) }));
  server.setRequestHandler(CallToolRequestSchema, async () => {
    const answered = new Promise<ReplayCall>((resolve) => waiting.push(resolve));
    begun += 1;
    notice();
    const { answer } = await answered;
    return { ...answer, content: [...answer.content] };
  });
  return {
    server,
    /** Resolves when that many calls have reached the server in all. */
    begun: (count: number) =>
      new Promise<void>((resolve) => {
        notice = () => {
          if (begun >= count) resolve();
        };
        notice();
      }),
    release(call: ReplayCall) {
      waiting.shift()?.(call);
    },
  };
}

function toTools(calls: readonly ReplayCall[]) {
  const properties = new Map<string, Set<string>>();
  for (const call of calls) {
    const names = properties.get(call.tool) ?? new Set();
    for (const name of Object.keys(call.arguments)) names.add(name);
    properties.set(call.tool, names);
  }
  return [...properties].map(([name, names]) => ({
    name,
    inputSchema: {
      type: 'object' as const,
      properties: Object.fromEntries([...names].map((argument) => [argument, {}])),
    },
  }));
}
