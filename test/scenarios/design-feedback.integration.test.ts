// What the advice and the rates say of real servers under `observe()`: tools that answer as they should are not accused, and
// each weakness that agents met is found. One service for all servers; agents are scripted clients.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { AdviceResponse } from '../../src/contract/advice.ts';
import { flush, observe } from '../../src/index.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';

const folder = createServiceFolder();
let service: InProcessService;

beforeAll(async () => {
  service = await startInProcessService(folder);
}, 240_000);

afterAll(async () => {
  await service?.close();
  removeServiceFolder(folder);
});

interface ScriptedTool {
  readonly description?: string;
  readonly answer: (args: Readonly<Record<string, unknown>>) => { text: string; isError?: boolean };
}

interface ScriptedServer {
  readonly name: string;
  readonly tools: Readonly<Record<string, ScriptedTool>>;
  /** One list of calls for each session. */
  readonly sessions: readonly (readonly (readonly [tool: string, args: Record<string, unknown>])[])[];
}

/** Lets agents make their calls, and waits until all are stored. */
async function play({ name, tools, sessions }: ScriptedServer): Promise<void> {
  for (const [at, calls] of sessions.entries()) {
    const server = new McpServer({ name, version: '1.0.0' });
    for (const [tool, { description = `${tool} of this server`, answer }] of Object.entries(tools))
      server.registerTool(tool, { description, inputSchema: z.looseObject({}) }, async (args) => {
        const { text, isError = false } = answer(args);
        return { content: [{ type: 'text', text }], isError };
      });
    const observed = observe(server, { endpoint: service.url, sessionId: () => `${name} ${at}` });
    const client = new Client({ name: 'agent', version: '1' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([observed.connect(theirs), client.connect(ours)]);
    await client.listTools();
    for (const [tool, args] of calls) await client.callTool({ name: tool, arguments: args });
    await client.close();
  }
  await flush();
  await service.settled();
}

const fetchAdvice = async (server: string) =>
  AdviceResponse.parse(await service.ask(`advice?from=now-1h&server=${server}`));

const rulesOf = ({ advice }: AdviceResponse): string[] => advice.map(({ rule, tool }) => `${rule} ${tool}`);

/** The same failing call three times in each of three sessions. */
const threeTimes = (tool: string) => Array.from({ length: 3 }, (_, at) => Array(3).fill([tool, { id: at }]));

test('an error that states its recovery as JSON text is not accused, and one that does not is', async () => {
  const error = (fields: object) => () => ({ text: JSON.stringify({ error: fields }), isError: true });
  await play({
    name: 'recovering',
    tools: {
      lock_note: {
        answer: error({
          code: 'NOTE_LOCKED',
          message: 'The note is locked.',
          recovery: 'Wait for a minute.',
          retryable: true,
        }),
      },
      unlock_note: { answer: error({ code: 'NOTE_LOCKED', message: 'The note is locked.' }) },
    },
    sessions: [...threeTimes('lock_note'), ...threeTimes('unlock_note')],
  });
  const rules = rulesOf(await fetchAdvice('recovering'));
  expect(rules).toContain('TD017 unlock_note');
  expect(rules).not.toContain('TD017 lock_note');
  expect(rules).not.toContain('TD016 lock_note');
});

test('JSON text that counts failed items is a partial failure, unless the count is zero or the answer is a report', async () => {
  const answer = (failed: number) => () => ({ text: JSON.stringify({ succeeded: 8, failed }) });
  await play({
    name: 'importing',
    tools: {
      import_notes: { answer: answer(2) },
      export_notes: { answer: answer(0) },
      run_tests: { answer: answer(2) },
    },
    sessions: [...threeTimes('import_notes'), ...threeTimes('export_notes'), ...threeTimes('run_tests')],
  });
  expect(rulesOf(await fetchAdvice('importing')).filter((rule) => rule.startsWith('TD022'))).toEqual([
    'TD022 import_notes',
  ]);
});
