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

/** Other arguments are dropped, as most servers do. */
const INPUT = { id: z.number().optional(), idempotency_key: z.string().optional() };

interface ScriptedTool {
  readonly description?: string;
  readonly answer: () => { text: string; isError?: boolean };
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
      server.registerTool(tool, { description, inputSchema: INPUT }, async () => {
        const { text, isError = false } = answer();
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

test('codes that say the caller erred and confirmed confusions count against the correct call rate, and the stored fault stays', async () => {
  const fail = (code: string) => () => ({ text: `${code}: No.`, isError: true });
  const ok = () => ({ text: 'Done.' });
  const once = (tool: string, times: number) => Array.from({ length: times }, () => [tool, {}] as const);
  await play({
    name: 'faulted',
    tools: {
      get_note: { answer: fail('NOTE_NOT_FOUND') },
      save_note: { answer: fail('VERSION_CONFLICT') },
      sync_notes: { answer: fail('UPSTREAM_DOWN') },
      read_page: { answer: fail('RENDERING_FAILED') },
      read_text: { answer: ok },
    },
    sessions: [
      [...once('get_note', 2), ...once('save_note', 1), ...once('sync_notes', 2)],
      ...Array.from({ length: 3 }, () => [...once('read_page', 1), ...once('read_text', 4)]),
    ],
  });
  const { correctCallRate } = await fetchAdvice('faulted');
  // Three codes of the caller, and three pages that were meant to be texts; the upstream is no fault of the caller.
  expect(correctCallRate).toMatchObject({ n: 20, value: 14 / 20 });
  const { errors } = await service.ask<{ errors: { code: string; fault: string }[] }>(
    'errors?from=now-1h&server=faulted',
  );
  expect(new Set(errors.map(({ fault }) => fault))).toEqual(new Set(['server']));
});

test('success of a tool that the error or a description names is a recovery and no confusion', async () => {
  const ok = () => ({ text: 'Done.' });
  const answer = () => ({
    text: JSON.stringify({
      error: { code: 'RECORD_UNKNOWN', message: 'No.', recovery: "use 'list_dns_records'" },
    }),
    isError: true,
  });
  const failing = () => ({ text: 'CACHE_COLD: No.', isError: true });
  await play({
    name: 'guided',
    tools: {
      delete_dns_record: { answer },
      list_dns_records: { answer: ok },
      read_cache: {
        description: 'Reads a page from the cache. If the page is not there, use fetch_page.',
        answer: failing,
      },
      fetch_page: { answer: ok },
      open_page: { answer: failing },
      load_page: { answer: ok },
    },
    sessions: [
      ['delete_dns_record', 'list_dns_records'],
      ['read_cache', 'fetch_page'],
      ['open_page', 'load_page'],
    ].flatMap((tools) => Array.from({ length: 4 }, () => tools.map((tool) => [tool, {}] as const))),
  });
  const advice = await fetchAdvice('guided');
  expect(advice.errorRecoveryRate).toMatchObject({ n: 12, value: 8 / 12 });
  expect(rulesOf(advice).filter((rule) => rule.startsWith('TD007'))).toEqual(['TD007 open_page']);
});

test('preconditions, final errors, undeclared arguments, ignored keys and long lists are found', async () => {
  const error = (fields: object) => () => ({ text: JSON.stringify({ error: fields }), isError: true });
  let created = 0;
  const rows = (length: number) => Array.from({ length }, () => 1);
  const times = (tool: string, count: number, args: object = {}) =>
    Array.from({ length: count }, () => [tool, { ...args }] as const);
  await play({
    name: 'silent',
    tools: {
      edit_note: { answer: error({ code: 'NOTE_FROZEN', message: 'No.', retryable: false }) },
      lock_note: { answer: error({ code: 'BUSY', message: 'No.', retry_after: 60 }) },
      make_note: { answer: () => ({ text: `Note ${++created}.` }) },
      list_notes: { answer: () => ({ text: JSON.stringify({ notes: rows(150) }) }) },
      page_notes: { answer: () => ({ text: JSON.stringify({ notes: rows(150), next_cursor: 'x' }) }) },
    },
    sessions: Array.from({ length: 3 }, (_, at) => [
      ...times('edit_note', 4, { id: at }),
      ...times('lock_note', 2, { id: at }),
      ...times('make_note', 3, { idempotency_key: `key ${at}` }),
      ...times('list_notes', 7, { status: 'open' }),
      ...times('page_notes', 2),
    ]),
  });
  const rules = rulesOf(await fetchAdvice('silent'));
  const found = rules.filter((rule) => /^TD03[34567] /.test(rule)).sort();
  expect(found).toEqual([
    'TD033 edit_note',
    'TD034 edit_note',
    'TD034 lock_note',
    'TD035 list_notes',
    'TD036 make_note',
    'TD037 list_notes',
  ]);
});
