// Two hundred agents against a server that answers 503 are one storm with one notification. Sub-agents of one run that repeat
// each other are reported as one run, and those that work apart are not. Real clients, real servers under `observe`, and the built
// service, killed in the middle. Two minutes of agents that return every fifteen seconds are played in twenty seconds.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { AlertsResponse } from '../../src/contract/alerts.ts';
import { LoopsResponse } from '../../src/contract/loops.ts';
import { AttentionResponse } from '../../src/contract/overview.ts';
import { StormsResponse } from '../../src/contract/storms.ts';
import { flush, observe } from '../../src/index.ts';
import { pause, type RunningService, startService, until } from '../support/service.ts';

const AGENTS = 200;
const ROUNDS = 9;
const ROUND_MS = 2_000;

let service: RunningService;

beforeAll(async () => {
  service = await startService({ environment: { TOOLSCOPE_TOKEN_PRICE: '3' } });
}, 240_000);

afterAll(() => service?.stop());

interface ScriptedServer {
  readonly name: string;
  readonly session: string;
  readonly planId?: string;
  readonly answer: (tool: string, id: string) => { text: string; isError?: boolean };
}

async function connect({ name, session, planId, answer }: ScriptedServer): Promise<Client> {
  const server = new McpServer({ name, version: '1.0.0' });
  for (const tool of ['search', 'read_note'])
    server.registerTool(tool, { inputSchema: { id: z.string() } }, async ({ id }) => {
      const { text, isError = false } = answer(tool, id);
      return { content: [{ type: 'text', text }], isError };
    });
  const observed = observe(server, {
    endpoint: service.base,
    sessionId: () => session,
    ...(planId !== undefined && { planId: () => planId }),
  });
  const client = new Client({ name: 'agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([observed.connect(theirs), client.connect(ours)]);
  return client;
}

const fetchStorms = async () => StormsResponse.parse(await service.ask('storms?from=now-1h'));
const fetchLoops = async (query: string) =>
  LoopsResponse.parse(await service.ask(`loops?from=now-1h&limit=1000&${query}`));
const fetchAlerts = async () => AlertsResponse.parse(await service.ask('alerts')).alerts;

test('two hundred sessions against a server that answers 503 become one storm and one alert without single alerts', async () => {
  const down = () => ({ text: 'HTTP_503: Service Unavailable', isError: true });
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, (_, n) => connect({ name: 'notes', session: `agent-${n}`, answer: down })),
  );
  const alertsSeen = new Set<string>();
  const isWatching = { now: true };
  const watching = (async () => {
    for (; isWatching.now; await pause(200))
      for (const { ruleId, sessionId } of await fetchAlerts().catch(() => []))
        alertsSeen.add(`${ruleId} ${sessionId}`);
  })();
  const calling = agents.map(async (agent, n) => {
    await pause((n * ROUND_MS) / AGENTS);
    for (let round = 0; round < ROUNDS; round++) {
      await agent.callTool({ name: n % 2 === 0 ? 'search' : 'read_note', arguments: { id: `note ${n}` } });
      await pause(ROUND_MS);
    }
  });
  await pause(ROUND_MS * 4);
  const before = await until(async () => (await fetchStorms()).storms[0]);
  await service.kill();
  await service.start();
  await Promise.all(calling);
  await flush();
  const storms = await until(async () => {
    const answer = await fetchStorms();
    return answer.storms[0]?.calls === AGENTS * ROUNDS ? answer : undefined;
  });
  // Longer than a loop's alert is held.
  await pause(8_000);
  isWatching.now = false;
  await watching;
  expect([storms.total, storms.active]).toEqual([1, 1]);
  expect(storms.storms[0]).toMatchObject({
    ...{ id: before.id, server: 'notes', kind: 'failure', code: 'HTTP_503', cause: 'server' },
    ...{ tools: ['read_note', 'search'], sessions: AGENTS },
  });
  expect(storms.storms[0]?.sentence).toContain('the server fails for everybody who calls it');
  expect([...alertsSeen]).toEqual(['storm ']);
  expect((await fetchAlerts()).map(({ ruleId, state }) => `${ruleId} ${state}`)).toEqual(['storm firing']);
  const loops = await fetchLoops(`storm=${before.id}`);
  expect(loops.total).toBe(AGENTS);
  expect(loops.loops[0]?.wastedCost).not.toBeNull();
  expect((await fetchLoops('alone=true')).total).toBe(0);
  const { items } = AttentionResponse.parse(await service.ask('attention?from=now-1h'));
  expect(items.filter(({ kind }) => kind === 'storm')).toHaveLength(1);
  expect(items.filter(({ kind }) => kind === 'looping')).toEqual([]);
  await Promise.all(agents.map((agent) => agent.close()));
}, 300_000);

test('three sub-agents that repeat each other are reported as one run, and three independent ones are not', async () => {
  const answer = (tool: string, id: string) => ({ text: `${tool} of ${id}: ${'a line of it. '.repeat(20)}` });
  const play = async (planId: string, plan: (agent: number) => readonly string[]) => {
    const names = [0, 1, 2];
    const agents = await Promise.all(
      names.map((n) => connect({ name: 'library', session: `${planId}-${n}`, planId, answer })),
    );
    const plans = names.map(plan);
    for (let at = 0; at < (plans[0]?.length ?? 0); at++)
      for (const [n, agent] of agents.entries())
        await agent.callTool({ name: 'read_note', arguments: { id: plans[n]?.[at] ?? '' } });
    await Promise.all(agents.map((agent) => agent.close()));
  };
  const files = (count: number) => Array.from({ length: count }, (_, n) => `file ${n}`);
  const apart = (agent: number) => [
    ...files(5),
    ...files(5),
    ...Array.from({ length: 20 }, (_, n) => `work ${n} of ${agent}`),
  ];
  await play('apart', apart);
  // Each goes through the eight in an order of its own, so none of them alone goes round in circles for long.
  await play('together', (agent) =>
    [0, 1, 2, 3].flatMap((round) => files(8).map((_, n) => `file ${(n * (2 * round + 1) + agent) % 8}`)),
  );
  await flush();
  const found = await until(async () =>
    (await fetchLoops('plan=together')).loops.find(({ treeId }) => treeId !== ''),
  );
  expect(found).toMatchObject({ kind: 'nothing_new', treeSessions: 3, server: 'library' });
  expect(found.sentence).toContain('3 sessions of one run');
  await pause(2_500);
  expect((await fetchLoops('plan=apart')).loops).toEqual([]);
  const alerts = (await fetchAlerts()).filter(
    ({ ruleId, server }) => ruleId === 'suspected-loop' && server === 'library',
  );
  expect(alerts.filter(({ state }) => state === 'firing')).toHaveLength(1);
}, 240_000);
