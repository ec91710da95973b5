// Alerts of a looping agent: a real receiver gets one firing notification, no second one after a kill of the service, and one
// resolved notification when the agent continues with other work. The built service runs as its own process.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { AlertDeliveriesResponse, AlertEventsResponse, AlertsResponse } from '../../src/contract/alerts.ts';
import { flush, observe } from '../../src/index.ts';
import { freePort, pause, type RunningService, startService, until } from '../support/service.ts';

interface ReceivedNotification {
  readonly key: string;
  readonly status: string;
  readonly summary: string;
  readonly url: string;
}

const CALLS_OF_LONG_SESSION = 45;

const notifications: ReceivedNotification[] = [];
const receiver = createServer(async (req, res) => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const { status, alerts } = JSON.parse(Buffer.concat(chunks).toString());
  const { annotations, generatorURL } = alerts[0];
  notifications.push({
    key: String(req.headers['idempotency-key']),
    status,
    summary: annotations.summary,
    url: generatorURL,
  });
  res.end();
});

let folder: string;
let service: RunningService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolscope-alerts-'));
  const port = await freePort();
  await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve));
  const rules = join(folder, 'alerts.json');
  const notify = ['dashboard', 'log', 'ops'];
  await writeFile(
    rules,
    JSON.stringify({
      receivers: { ops: { type: 'webhook', urlEnv: 'OPS_WEBHOOK' } },
      allowPrivateTargets: [`127.0.0.1:${port}`],
      rules: [
        { id: 'suspected-loop', keepFiringFor: '1s', notify },
        { id: 'session-over-calls', keepFiringFor: '1s', notify },
      ],
    }),
  );
  service = await startService({
    arguments: ['--alerts', rules],
    environment: { OPS_WEBHOOK: `http://127.0.0.1:${port}/s3cret` },
  });
}, 240_000);

afterAll(async () => {
  await service?.stop();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function connect(session: string) {
  const server = new McpServer({ name: 'notebook', version: '1.0.0' });
  server.registerTool('publish', { inputSchema: { id: z.string() } }, async () => ({
    content: [{ type: 'text', text: 'Something went wrong. Please try again.' }],
    isError: true,
  }));
  server.registerTool('write', { inputSchema: { line: z.string() } }, async ({ line }) => ({
    content: [{ type: 'text', text: `wrote ${line} as note ${line.length}` }],
  }));
  const client = new Client({ name: 'blocked-agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const observed = observe(server, { endpoint: service.base, sessionId: () => session });
  await Promise.all([observed.connect(theirs), client.connect(ours)]);
  return client;
}

const countKinds = () => new Set(notifications.map(({ key, status }) => `${status} ${key}`)).size;

// Requirement: alerts.once
test('a looping agent sends one firing and one resolved notification, even if the service is killed in between', async () => {
  const agent = await connect('blocked');
  const publish = () => agent.callTool({ name: 'publish', arguments: { id: 'n1' } });
  // The loop is notified before the session is long: in the other order both would be notified.
  for (let n = 0; n < 20; n++) await publish();
  await flush();
  await until(async () => notifications[0]);
  for (let n = 20; n < 60; n++) await publish();
  await flush();
  expect(notifications[0]).toMatchObject({
    status: 'firing',
    url: `${service.base}/sessions/blocked?of=notebook`,
  });
  expect(notifications[0]?.summary).toContain('publish');
  await service.kill();
  await service.start();
  for (let n = 0; n < 10; n++) await publish();
  await flush();
  await until(async () => {
    const { alerts } = AlertsResponse.parse(await service.ask('alerts'));
    return alerts.find(({ ruleId, value }) => ruleId === 'suspected-loop' && value === 70);
  });
  // Longer than several evaluations take.
  await pause(3_000);
  expect(countKinds()).toBe(1);
  for (let n = 0; n < 30; n++) {
    await agent.callTool({ name: 'write', arguments: { line: `chapter ${n} ${'x'.repeat(n)}` } });
  }
  await flush();
  await until(async () => notifications.find(({ status }) => status === 'resolved'), { withinMs: 90_000 });
  expect(countKinds()).toBe(2);
  // The receiver hears first; what the service writes about it follows.
  const readEvents = async () =>
    AlertEventsResponse.parse(await service.ask('alerts/events?rule=suspected-loop')).events;
  await expect
    .poll(async () => (await readEvents()).map(({ from, to }) => `${from} ${to}`))
    .toEqual(['firing resolved', 'inactive firing']);
  expect((await readEvents())[0]?.labels['session_id']).toBe('blocked');
  await expect
    .poll(async () => {
      const { deliveries } = AlertDeliveriesResponse.parse(await service.ask('alerts/deliveries'));
      const toOps = deliveries.filter((each) => each.receiver === 'ops');
      return toOps.map(({ says, status }) => `${says} ${status}`);
    })
    .toEqual(['resolved delivered', 'firing delivered']);
  expect(JSON.stringify(await service.ask('alerts')) + service.log()).not.toContain('s3cret');
  await agent.close();
}, 300_000);

test('a session that is only long is notified too, with its number of calls', async () => {
  const agent = await connect('long');
  for (let n = 0; n < CALLS_OF_LONG_SESSION; n++) {
    await agent.callTool({ name: 'write', arguments: { line: `verse ${n} ${'y'.repeat(n * 7)}` } });
  }
  await flush();
  const first = await until(async () =>
    notifications.find(({ summary }) => summary.startsWith('Session long ')),
  );
  expect(first.status).toBe('firing');
  expect(first.summary).toMatch(/^Session long made \d+ calls to notebook, more than 30; none failed\.$/);
  // Told as soon as it was long, which may be before the last of its calls arrived.
  const calls = Number(/\d+/.exec(first.summary)?.[0]);
  expect(calls).toBeGreaterThan(30);
  expect(calls).toBeLessThanOrEqual(CALLS_OF_LONG_SESSION);
  const whole = `Session long made ${CALLS_OF_LONG_SESSION} calls to notebook, more than 30; none failed.`;
  await until(async () => {
    const { alerts } = AlertsResponse.parse(await service.ask('alerts'));
    return alerts.find(({ ruleId, sentence }) => ruleId === 'session-over-calls' && sentence === whole);
  });
  expect(notifications.filter(({ summary }) => summary.startsWith('Session long '))).toHaveLength(1);
  await agent.close();
}, 240_000);
