// Repeated idempotency keys with a real server under `observe()` and `wrap`: the tool runs once, and each call is recorded.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { GuardResponse } from '../../src/contract/guard.ts';
import { flush, type ObserveOptions, observe } from '../../src/index.ts';
import { cleanEnvironment, wrapCommand } from '../cli/run-wrap.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';
import { createNotes } from './servers/versioned-notes.ts';

const folder = createServiceFolder();
let service: InProcessService;

beforeAll(async () => {
  service = await startInProcessService(folder);
}, 240_000);

afterAll(async () => {
  await service?.close();
  removeServiceFolder(folder);
});

type Idempotency = NonNullable<NonNullable<ObserveOptions['guard']>['idempotency']>;

const CONNECTIONS = {
  'observe()': async (client: Client, idempotency: Idempotency) => {
    const guard: ObserveOptions['guard'] = { mode: 'enforce', idempotency };
    const observed = observe(createNotes(), { endpoint: service.url, sessionId: () => idempotency, guard });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([observed.connect(theirs), client.connect(ours)]);
  },
  wrap: async (client: Client, idempotency: Idempotency) => {
    const server = fileURLToPath(new URL('servers/versioned-notes.ts', import.meta.url));
    const guard = ['--guard', 'enforce', '--guard-idempotency', idempotency];
    const line = wrapCommand([...guard, '--', process.execPath, '--import', 'tsx', server, '--stdio']);
    const env = cleanEnvironment({ TOOLSCOPE_ENDPOINT: service.url });
    await client.connect(new StdioClientTransport({ ...line, env }));
  },
} as const;

/** Pays, and returns what the tool, or the guard in its place, answered. */
const createPayment = (client: Client) => async (amount: number, idempotency_key?: string) => {
  const { content } = await client.callTool({ name: 'charge_card', arguments: { amount, idempotency_key } });
  return z
    .array(z.object({ text: z.string() }))
    .parse(content)
    .map(({ text }) => text)
    .join();
};

test.each(Object.entries(CONNECTIONS))(
  'a repeated idempotency key under %s gets the first result, and the tool does not run again',
  async (way, connect) => {
    const client = new Client({ name: `payer under ${way}`, version: '1' });
    await connect(client, 'replay');
    const pay = createPayment(client);
    // The first charge fails. A failure is not replayed, so the second runs after it, and the third gets its result.
    expect(await Promise.all([pay(100, 'a'), pay(100, 'a'), pay(100, 'a')])).toEqual([
      'DECLINED: No.',
      'Charge 2.',
      'Charge 2.',
    ]);
    expect(await pay(100, 'a')).toBe('Charge 2.');
    expect(await pay(1, 'a')).toBe('Charge 3.');
    expect(await pay(100, 'b')).toBe('Charge 4.');
    expect([await pay(1), await pay(1)]).toEqual(['Charge 5.', 'Charge 6.']);
    await client.close();
    await flush();
    const guarded = async () => {
      const query = new URLSearchParams({ from: 'now-1h', client: `payer under ${way}` });
      return GuardResponse.parse(await service.ask(`guard?${query}`)).tools;
    };
    await expect
      .poll(guarded, { timeout: 20_000 })
      .toMatchObject([{ tool: 'charge_card', code: 'REPLAYED', blocked: 2, nudged: 0 }]);
    const { errors } = await service.ask<{ errors: { code: string; count: number }[] }>(
      `errors?from=now-1h&client=${encodeURIComponent(`payer under ${way}`)}`,
    );
    expect(errors).toMatchObject([{ code: 'DECLINED', count: 1 }]);
  },
);

test('without the option each call runs', async () => {
  const client = new Client({ name: 'payer', version: '1' });
  await CONNECTIONS['observe()'](client, 'off');
  const pay = createPayment(client);
  expect([await pay(1, 'a'), await pay(1, 'a'), await pay(1, 'a')]).toEqual([
    'DECLINED: No.',
    'Charge 2.',
    'Charge 3.',
  ]);
  await client.close();
});
