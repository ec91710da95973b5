// What is learned from agents that got past an error, with a real server under `observe()`: agents are scripted clients, and the
// expected figures are counted from their script.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { RecoveriesResponse } from '../../src/contract/recoveries.ts';
import { flush, observe } from '../../src/index.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';
import { expectedProportion } from '../support/oracle/expect-stats.ts';

const folder = createServiceFolder();
let service: InProcessService;

beforeAll(async () => {
  service = await startInProcessService(folder);
}, 240_000);

afterAll(async () => {
  await service?.close();
  removeServiceFolder(folder);
});

/** A note with a version; each edit needs the current one. */
function createNotes(): McpServer {
  const server = new McpServer({ name: 'versioned', version: '1.0.0' });
  let version = 7;
  server.registerTool('get_note', { inputSchema: { id: z.number() } }, async () => ({
    content: [{ type: 'text', text: JSON.stringify({ version }) }],
  }));
  server.registerTool('edit_note', { inputSchema: { id: z.number(), version: z.number() } }, async (sent) => {
    if (sent.version === version) {
      version += 1;
      return { content: [{ type: 'text', text: 'Saved.' }] };
    }
    const error = { code: 'VERSION_CONFLICT', message: 'The note has changed.' };
    return { content: [{ type: 'text', text: JSON.stringify({ error }) }], isError: true };
  });
  return server;
}

/** What an agent does after the conflict, by name. */
const AGENTS = {
  'reads and repeats': async (edit, read) => edit(await read()),
  'repeats unchanged': async (edit) => edit(1),
  'guesses a version': async (edit) => edit(2),
} as const satisfies Record<
  string,
  (edit: (version: number) => Promise<void>, read: () => Promise<number>) => Promise<void>
>;

async function runAgent(name: keyof typeof AGENTS, at: number): Promise<void> {
  const observed = observe(createNotes(), { endpoint: service.url, sessionId: () => `${name} ${at}` });
  const client = new Client({ name: 'agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([observed.connect(theirs), client.connect(ours)]);
  await client.listTools();
  const edit = async (version: number): Promise<void> => {
    await client.callTool({ name: 'edit_note', arguments: { id: at, version } });
  };
  const read = async (): Promise<number> => {
    const { content } = await client.callTool({ name: 'get_note', arguments: { id: at } });
    return z
      .array(z.object({ text: z.string() }))
      .parse(content)
      .map(({ text }) => JSON.parse(text).version)[0];
  };
  await edit(1);
  await AGENTS[name](edit, read);
  await client.close();
}

test('what worked after an error is learned from the sessions that got past it', async () => {
  const script = { 'reads and repeats': 9, 'repeats unchanged': 4, 'guesses a version': 3 } as const;
  for (const name of Object.keys(script) as (keyof typeof script)[])
    for (let at = 0; at < script[name]; at += 1) await runAgent(name, at);
  await flush();
  await service.settled();
  const { recoveries } = RecoveriesResponse.parse(
    await service.ask('recoveries?from=now-1h&server=versioned&tool=edit_note'),
  );
  expect(recoveries).toMatchObject([
    {
      ...{ tool: 'edit_note', outcome: 'tool_error', code: 'VERSION_CONFLICT', template: '', argument: '' },
      ...{ tools: ['get_note'], changedArguments: ['version'], insteadTool: '', isAfterPause: false },
      succeeded: expectedProportion(9, 9),
      sessions: 9,
      // The last error of the others is followed by nothing yet: their sessions may go on.
      otherwise: expectedProportion(0, 4 + 3),
      recovery: 'Call get_note, then repeat edit_note with a new version.',
    },
  ]);
  const others = await service.ask('recoveries?from=now-1h&server=versioned&tool=get_note');
  expect(RecoveriesResponse.parse(others).recoveries).toEqual([]);
});
