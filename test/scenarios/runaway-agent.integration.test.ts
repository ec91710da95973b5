// An agent blocked by an error without a cause calls one tool two hundred times in three minutes. Unguarded, the loop is
// detected and sends one firing and one resolved notification; guarded, the tool runs at most six times, the last time with a
// nudge after its result. The three minutes pass on the clocks of this process; the service and the receiver are real.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { CallsResponse } from '../../src/contract/calls.ts';
import { GuardResponse } from '../../src/contract/guard.ts';
import { LoopsResponse } from '../../src/contract/loops.ts';
import { ErrorsResponse } from '../../src/contract/tools.ts';
import type { GuardOptions } from '../../src/core/guard/guard-policy.ts';
import { flush, observe } from '../../src/index.ts';
import { freePort, pause, type RunningService, startService, until } from '../support/service.ts';
import { startStopwatch } from '../support/stopwatch.ts';
import { installVirtualClock } from '../support/virtual-clock.ts';

const CALLS = 200;
const STORY_MS = 180_000;
/** The first call, and three repeats of it. */
const THIRD_REPEAT = 4;

interface ReceivedNotification {
  readonly status: string;
  readonly key: string;
  readonly session: string;
}

const notifications: ReceivedNotification[] = [];
const receiver = createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { status, alerts } = JSON.parse(Buffer.concat(chunks).toString());
  for (const { labels } of alerts)
    notifications.push({ status, key: String(req.headers['idempotency-key']), session: labels.session_id });
  res.end();
});

let folder: string;
let service: RunningService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolscope-story-'));
  const port = await freePort();
  await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve));
  const rules = join(folder, 'alerts.json');
  const setup = {
    receivers: { ops: { type: 'webhook', urlEnv: 'OPS_WEBHOOK' } },
    allowPrivateTargets: [`127.0.0.1:${port}`],
    rules: [{ id: 'suspected-loop', keepFiringFor: '1s', notify: ['ops'] }],
  };
  await writeFile(rules, JSON.stringify(setup));
  service = await startService({
    arguments: ['--alerts', rules],
    environment: { OPS_WEBHOOK: `http://127.0.0.1:${port}/` },
  });
}, 120_000);

afterAll(async () => {
  await service?.stop();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

interface Agent {
  readonly call: Client['callTool'];
  /** How often the tool that fails has run. */
  readonly runs: () => number;
  readonly close: () => Promise<void>;
}

async function connect(session: string, guard?: GuardOptions): Promise<Agent> {
  let runs = 0;
  const server = new McpServer({ name: 'notebook', version: '1.0.0' });
  server.registerTool('publish', { inputSchema: { id: z.string() } }, async () => {
    runs += 1;
    return { content: [{ type: 'text', text: 'Something went wrong. Please try again.' }], isError: true };
  });
  server.registerTool('read', { inputSchema: { id: z.string() } }, async ({ id }) => ({
    content: [{ type: 'text', text: `${id} is locked by its author until Monday, ${id.length} letters` }],
  }));
  observe(server, { endpoint: service.base, sessionId: () => session, ...(guard && { guard }) });
  const client = new Client({ name: 'blocked-agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return { call: client.callTool.bind(client), runs: () => runs, close: () => client.close() };
}

const PUBLISH = { name: 'publish', arguments: { id: 'n1' } };

/** Has the calls made at their place in the three minutes that end now; asks the real clocks in between. */
async function runStory<T>(startMs: number, places: readonly number[], make: () => Promise<T>): Promise<T[]> {
  const clock = installVirtualClock();
  const answers: T[] = [];
  try {
    for (const place of places) {
      clock.set(startMs + (place * STORY_MS) / CALLS);
      answers.push(await make());
    }
  } finally {
    clock.restore();
  }
  await flush();
  return answers;
}

const callIndexesFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

async function loopOf(session: string) {
  const { loops, total } = LoopsResponse.parse(await service.ask(`loops?session=${session}`));
  expect(total).toBeLessThanOrEqual(1);
  return loops[0];
}

test('an unguarded runaway agent is detected within five seconds of its third repeat and sends one firing and one resolved notification', async () => {
  const startMs = Date.now() - STORY_MS;
  const agent = await connect('unguarded');
  await runStory(startMs, callIndexesFrom(0, THIRD_REPEAT), () => agent.call(PUBLISH));
  const watch = startStopwatch(service.pid);
  const found = await until(() => loopOf('unguarded'));
  expect(watch.elapsedMs()).toBeLessThan(5_000);
  expect(found).toMatchObject({ kind: 'repeat', severity: 'suspected', tools: ['publish'], repeats: 4 });
  expect(Math.abs(Date.parse(found.onset) - startMs)).toBeLessThan(10);
  // Until now, however long finding took: a loop that was quiet for a minute is over.
  await runStory(Date.now() - STORY_MS, callIndexesFrom(THIRD_REPEAT, CALLS), () => agent.call(PUBLISH));
  const whole = await until(async () => {
    const loop = await loopOf('unguarded');
    return loop?.repeats === CALLS ? loop : undefined;
  });
  expect(whole).toMatchObject({ id: found.id, onset: found.onset, wastedCalls: 199, severity: 'confirmed' });
  await until(async () => notifications[0]);
  // Longer than several evaluations take: two hundred calls are one message.
  await pause(3_000);
  expect(notifications.map(({ status, session }) => [status, session])).toEqual([['firing', 'unguarded']]);
  for (let n = 0; n < 12; n++) await agent.call({ name: 'read', arguments: { id: 'n'.repeat(n + 1) } });
  await flush();
  await until(async () => notifications.find(({ status }) => status === 'resolved'), { withinMs: 100_000 });
  expect(notifications.map(({ status }) => status)).toEqual(['firing', 'resolved']);
  expect(new Set(notifications.map(({ key }) => key)).size).toBe(2);
  expect((await loopOf('unguarded'))?.state).toBe('over');
  await agent.close();
}, 240_000);

// Requirement: guard.bounded
test('a guarded runaway agent runs its tool at most six times, gets a nudge and then a refusal, and can make a different call at once', async () => {
  const agent = await connect('guarded', { mode: 'enforce', loops: 'confirmed' });
  const answers = await runStory(Date.now() - STORY_MS, callIndexesFrom(0, CALLS), () => agent.call(PUBLISH));
  expect(agent.runs()).toBeLessThanOrEqual(6);
  const spoken = answers.filter(({ content }) => JSON.stringify(content).includes('[toolscope guard]'));
  expect(spoken).toEqual([answers[agent.runs() - 1]]);
  const last = answers.at(-1);
  expect(last).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'LOOP_DETECTED', retryable: false } },
  });
  expect(JSON.stringify(last?.content)).toMatch(/publish.*same/i);
  const watch = startStopwatch(service.pid);
  const other = await agent.call({ name: 'read', arguments: { id: 'n1' } });
  expect(watch.elapsedMs()).toBeLessThan(10_000);
  expect(other).toMatchObject({ content: [{ text: 'n1 is locked by its author until Monday, 2 letters' }] });
  await flush();
  const { sessions } = await until(async () => {
    const answer = await service.ask<{ sessions: { sessionId: string; calls: number }[] }>(
      'sessions?from=now-1h',
    );
    return answer.sessions.some(({ sessionId, calls }) => sessionId === 'guarded' && calls === CALLS + 1)
      ? answer
      : undefined;
  });
  expect(sessions).toHaveLength(2);
  await agent.close();
}, 150_000);

test('the service shows what a guard blocked, and what a guard that only observes would have blocked', async () => {
  const agent = await connect('observed', { mode: 'observe' });
  await runStory(Date.now() - STORY_MS, callIndexesFrom(0, CALLS), () => agent.call(PUBLISH));
  expect(agent.runs()).toBe(CALLS);
  const guard = await until(async () => {
    const answer = GuardResponse.parse(await service.ask('guard?from=now-1h'));
    return answer.totals.wouldBlock === CALLS - 6 ? answer : undefined;
  });
  expect(guard.totals).toMatchObject({ blocked: CALLS - 6, nudged: 1, sessions: 2 });
  expect(guard.tools.map(({ tool, code }) => [tool, code])).toEqual([['publish', 'LOOP_DETECTED']]);
  // Each answer was the same error, so enforcing would have stopped nothing useful.
  expect(guard.totals.falseStops).toMatchObject({ calls: 0, unknown: 0 });
  const blocked = CallsResponse.parse(await service.ask('calls?from=now-1h&guard=blocked&limit=1000'));
  expect(new Set(blocked.calls.map(({ code, fault, outcome }) => `${outcome} ${fault} ${code}`))).toEqual(
    new Set(['blocked none LOOP_DETECTED']),
  );
  const { errors } = ErrorsResponse.parse(await service.ask('errors?from=now-1h'));
  expect(errors.map(({ code }) => code)).not.toContain('LOOP_DETECTED');
  await agent.close();
}, 150_000);
