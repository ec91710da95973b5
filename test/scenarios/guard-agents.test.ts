// What a guard saves. Two agents loop with a real client against a real server, one that follows advice and one that does
// not, in each mode of the guard, until they are done or have made forty calls. The table shows what they spent.
import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { GUARD_MODES, type GuardMode } from '../../src/core/guard/guard-policy.ts';
import { observe } from '../../src/index.ts';
import { UNUSED_ADDRESS } from '../support/own-address.ts';

const MAX_CALLS = 40;
/** Calls until an agent that heeds is done: a loop is confirmed after five or six, the next has the word, one more helps. */
const MAX_CALLS_WHEN_HEEDED = 8;
/** As it is usually counted: of English and JSON. */
const BYTES_PER_TOKEN = 4;

const LONG_NOTE = Array.from(
  { length: 60 },
  (_, at) => `Line ${at} of the minutes says who came and who did not.`,
);

/** What the tool that agents go round with answers, whatever it costs to read. */
const RESULTS = {
  'a short error': {
    content: [{ type: 'text' as const, text: 'AMBIGUOUS: two notes match' }],
    isError: true,
  },
  'a page of 3 kB': { content: [{ type: 'text' as const, text: LONG_NOTE.join('\n') }] },
};
type ResultKind = keyof typeof RESULTS;

interface AgentCost {
  readonly calls: number;
  /** Calls that reached the tool; the others the guard answered. */
  readonly runs: number;
  readonly tokens: number;
  readonly isDone: boolean;
}

interface AgentInput {
  readonly text: string;
}

/** Whether an agent changes course when it reads this. */
type ReactsTo = (told: AgentInput) => boolean;

const AGENTS: Readonly<Record<string, ReactsTo>> = {
  heeds: ({ text }) => /\[toolscope guard\]|LOOP_DETECTED/.test(text),
  ignores: () => false,
};

async function connect(mode: GuardMode, kind: ResultKind) {
  const session = randomUUID();
  let runs = 0;
  const server = new McpServer({ name: 'notebook', version: '1.0.0' });
  server.registerTool('find', { inputSchema: { query: z.string() } }, async () => {
    runs += 1;
    return RESULTS[kind];
  });
  server.registerTool('list', {}, async () => {
    runs += 1;
    return { content: [{ type: 'text', text: 'n1: minutes of May; n2: minutes of June' }] };
  });
  observe(server, { endpoint: UNUSED_ADDRESS, sessionId: () => session, guard: { mode } });
  const client = new Client({ name: 'agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return { client, runs: () => runs };
}

/** Repeats one request until a nudge or refusal advises against it; then it requests the list, and is done. */
async function runAgent(heeds: ReactsTo, mode: GuardMode, kind: ResultKind): Promise<AgentCost> {
  const { client, runs } = await connect(mode, kind);
  let calls = 0;
  let bytes = 0;
  let request: { name: string; arguments: Record<string, unknown> } = {
    name: 'find',
    arguments: { query: 'minutes' },
  };
  let isDone = false;
  while (!isDone && calls < MAX_CALLS) {
    const result = await client.callTool(request);
    calls += 1;
    const text = JSON.stringify(result);
    bytes += Buffer.byteLength(JSON.stringify(request.arguments)) + Buffer.byteLength(text);
    isDone = request.name === 'list';
    if (heeds({ text })) request = { name: 'list', arguments: {} };
  }
  await client.close();
  return { calls, runs: runs(), tokens: Math.round(bytes / BYTES_PER_TOKEN), isDone };
}

const rows: string[] = [];

afterAll(() => {
  const head =
    '| tool answers with | agent | guard | calls | runs of a tool | tokens | saved: runs, tokens |';
  console.info(['', head, '| --- | --- | --- | --: | --: | --: | --- |', ...rows, ''].join('\n'));
});

function note(which: readonly string[], spent: AgentCost, unguarded: AgentCost): void {
  const saved = `${unguarded.runs - spent.runs}, ${unguarded.tokens - spent.tokens}`;
  rows.push(`| ${[...which, spent.calls, spent.runs, spent.tokens, saved].join(' | ')} |`);
}

describe.each(Object.keys(RESULTS) as ResultKind[])('guarded agents of a tool that returns %s', (kind) => {
  async function inEachMode(agent: 'heeds' | 'ignores') {
    const heeds = AGENTS[agent] ?? (() => false);
    const spent = Object.fromEntries(
      await Promise.all(GUARD_MODES.map(async (mode) => [mode, await runAgent(heeds, mode, kind)] as const)),
    ) as Record<GuardMode, AgentCost>;
    for (const mode of GUARD_MODES) note([kind, agent, mode], spent[mode], spent.observe);
    return spent;
  }

  test('an agent that reads advice saves as much from a nudge as from a refusal', async () => {
    const { observe: alone, nudge, enforce } = await inEachMode('heeds');
    expect(alone).toMatchObject({ calls: MAX_CALLS, runs: MAX_CALLS, isDone: false });
    expect(nudge.isDone).toBe(true);
    expect(nudge.calls).toBeLessThanOrEqual(MAX_CALLS_WHEN_HEEDED);
    expect(enforce).toMatchObject({ calls: nudge.calls, runs: nudge.runs, isDone: true });
    expect(nudge.tokens).toBeLessThan(alone.tokens);
    expect(enforce.tokens).toBeLessThan(alone.tokens);
  });

  test('an agent that ignores advice is stopped only by a refusal', async () => {
    const { observe: alone, nudge, enforce } = await inEachMode('ignores');
    expect(alone).toMatchObject({ calls: MAX_CALLS, runs: MAX_CALLS, isDone: false });
    expect(nudge).toMatchObject({ calls: MAX_CALLS, runs: MAX_CALLS, isDone: false });
    expect(enforce).toMatchObject({ calls: MAX_CALLS, isDone: false });
    expect(enforce.runs).toBeLessThan(MAX_CALLS_WHEN_HEEDED);
    // Words cost: some seven to one that does not listen.
    expect(nudge.tokens).toBeGreaterThan(alone.tokens);
    expect(nudge.tokens - alone.tokens).toBeLessThan(8 * 200);
  });
});
