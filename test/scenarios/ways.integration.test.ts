// What is learned of one server and its agents by each way of watching them: `observe()`, `wrap`, and the spans of another emitter, with
// the arguments and results or without. One service for all ways; the same agents make the same calls.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AdviceResponse } from '../../src/contract/advice.ts';
import { ContractTruthResponse } from '../../src/contract/contract-truth.ts';
import { GuardResponse } from '../../src/contract/guard.ts';
import { PlansResponse } from '../../src/contract/plans.ts';
import { RecoveriesResponse } from '../../src/contract/recoveries.ts';
import { ResultUseResponse } from '../../src/contract/result-use.ts';
import { RetirementsResponse } from '../../src/contract/retirements.ts';
import { ToolColumnsResponse } from '../../src/contract/tool.ts';
import { ErrorsResponse } from '../../src/contract/tools.ts';
import { flush, observe } from '../../src/index.ts';
import { cleanEnvironment, wrapCommand } from '../cli/run-wrap.ts';
import { type TestSpan, toolCall } from '../service/ingest/otlp-document.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';
import { createTeachingServer, listCalls, SESSIONS } from './servers/teaching.ts';

const folder = createServiceFolder();
let service: InProcessService;
let learned: Learned;

const WAYS = ['observe()', 'wrap', 'OTLP with values', 'OTLP'] as const;
type Way = (typeof WAYS)[number];

/** Of each way, the name under which its server appears. */
const NAMES: Readonly<Record<Way, string>> = {
  'observe()': 'by-observe',
  wrap: 'by-wrap',
  'OTLP with values': 'by-otlp-values',
  OTLP: 'by-otlp',
};

async function connectInMemory(server: McpServer): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return client;
}

type Result = Awaited<ReturnType<Client['callTool']>>;

/** Makes the calls of a session, which is one plan. */
async function runSession(client: Client, session: number): Promise<Result[]> {
  await client.listTools();
  const results: Result[] = [];
  for (const [name, args] of listCalls(session))
    results.push(await client.callTool({ name, arguments: args, _meta: { planId: `plan ${session}` } }));
  await client.close();
  return results;
}

async function runObserved(session: number): Promise<void> {
  const observed = observe(createTeachingServer(NAMES['observe()']), {
    ...{ endpoint: service.url, sessionId: () => `observed ${session}` },
    guard: { mode: 'observe', budget: { callsPerToolPerHour: 5 } },
  });
  await runSession(await connectInMemory(observed), session);
  await flush();
}

async function runWrapped(session: number): Promise<void> {
  const server = fileURLToPath(new URL('servers/teaching.ts', import.meta.url));
  const guard = ['--guard', 'observe', '--guard-calls-per-tool-per-hour', '5'];
  const line = wrapCommand([
    ...guard,
    '--',
    process.execPath,
    '--import',
    'tsx',
    server,
    '--stdio',
    NAMES.wrap,
  ]);
  const client = new Client({ name: 'agent', version: '1' });
  const env = cleanEnvironment({ TOOLSCOPE_ENDPOINT: service.url });
  await client.connect(new StdioClientTransport({ ...line, env }));
  await runSession(client, session);
}

/** The spans that an emitter after the conventions sends of a session, with arguments and results if it captures them. */
async function toForeignSpans(
  session: number,
): Promise<readonly [plain: TestSpan[], withValues: TestSpan[]]> {
  const results = await runSession(await connectInMemory(createTeachingServer('unseen')), session);
  const fromMs = Date.now() - 60_000;
  const spans = listCalls(session).map(([tool, args], at) => {
    const result = results[at];
    const attributes = {
      ...{
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': tool,
        'mcp.session.id': `foreign ${session}`,
      },
      ...(result?.isError === true && { 'error.type': 'tool_error' }),
    };
    const values = {
      'gen_ai.tool.call.arguments': JSON.stringify(args),
      'gen_ai.tool.call.result': JSON.stringify(result),
      'toolscope.plan.id': `plan ${session}`,
    };
    const n = 1_000 * session + at + 1;
    return [
      toolCall(n, fromMs + 10 * at, { service: NAMES.OTLP, attributes }),
      toolCall(500_000 + n, fromMs + 10 * at, {
        service: NAMES['OTLP with values'],
        attributes: { ...attributes, ...values },
      }),
    ] as const;
  });
  return [spans.map(([plain]) => plain), spans.map(([, withValues]) => withValues)];
}

beforeAll(async () => {
  // As `up --error-codes`: for one of the servers a locked note is an error of the caller.
  const errorCodes = join(folder, 'error-codes.json');
  writeFileSync(errorCodes, JSON.stringify({ [NAMES.wrap]: { callerCodes: ['NOTE_LOCKED'] } }));
  service = await startInProcessService(folder, { errorCodesFile: errorCodes });
  const sessions = Array.from({ length: SESSIONS }, (_, at) => at);
  const wrapped = Promise.all(sessions.map(runWrapped));
  for (const session of sessions) {
    await runObserved(session);
    for (const spans of await toForeignSpans(session)) await service.send(spans);
  }
  await wrapped;
  await service.settled();
  learned = await readAll();
}, 240_000);

afterAll(async () => {
  await service?.close();
  removeServiceFolder(folder);
});

/** All of the service, which knows the servers of the ways only; read once. */
async function readAll() {
  const [advice, columns, guard, use, recoveries, plans, retirements, ...truths] = await Promise.all([
    service.ask('advice?from=now-1h').then((body) => AdviceResponse.parse(body).advice),
    service.ask('tool-columns?from=now-1h').then((body) => ToolColumnsResponse.parse(body).columns),
    service.ask('guard?from=now-1h').then((body) => GuardResponse.parse(body).tools),
    service.ask('result-use?from=now-1h').then((body) => ResultUseResponse.parse(body).edges),
    service
      .ask('recoveries?from=now-1h&tool=edit_note')
      .then((body) => RecoveriesResponse.parse(body).recoveries),
    service.ask('plans?from=now-1h').then((body) => PlansResponse.parse(body).plans),
    service.ask('retirements').then((body) => RetirementsResponse.parse(body).retirements),
    ...WAYS.map((way) =>
      service
        .ask(`contract-truth?from=now-1h&server=${NAMES[way]}`)
        .then((body) => ({ server: NAMES[way], tools: ContractTruthResponse.parse(body).tools })),
    ),
  ]);
  return { advice, columns, guard, use, recoveries, plans, retirements, truths };
}
type Learned = Awaited<ReturnType<typeof readAll>>;

const rulesOf = ({ advice }: Learned, of: string, wanted: RegExp) =>
  advice
    .filter(({ server }) => server === of)
    .map(({ rule, tool }) => `${rule} ${tool}`)
    .filter((name) => wanted.test(name))
    .sort();
const columnOf = ({ columns }: Learned, of: string, name: string) =>
  columns.find(({ server, tool }) => server === of && tool === name);

/** What was learned of a server, by what it is about. */
const LEARNED = {
  'errors without a recovery, partial failures': (all, of) =>
    rulesOf(all, of, /^TD0(17|22) (lock|unlock|import)_/),
  'correct calls of a tool': (all, of) => columnOf(all, of, 'edit_note')?.correctCallRate.value,
  'recovery by the tool that the error names': (all, of) =>
    columnOf(all, of, 'delete_dns_record')?.next.recovered,
  'calls that a guard would stop': ({ guard }, of) =>
    guard
      .filter(({ server, tool }) => server === of && tool === 'list_notes')
      .map(({ wouldBlock }) => wouldBlock),
  'results fed into later calls': (all, of) => columnOf(all, of, 'search_users')?.resultUse.value,
  'what feeds what': ({ use }, of) =>
    use
      .filter(({ server, tool }) => server === of && tool === 'get_user')
      .map(({ sourceTool, sourcePath, path, calls }) => `${sourceTool} ${sourcePath} to ${path}: ${calls}`),
  'learned recovery': ({ recoveries }, of) =>
    recoveries.filter(({ server }) => server === of).map(({ recovery }) => recovery),
  'unstated preconditions, final errors, keys, lists': (all, of) =>
    rulesOf(all, of, /^TD03[34567] (freeze|send|make|list)_note/),
  plans: ({ plans }, of) => plans.filter(({ servers }) => servers.includes(of)).length,
  'the tool to remove': ({ retirements }, of) =>
    retirements
      .filter(({ server }) => server === of)
      .map(({ tool, successor, verdict }) => `${tool} ${successor} ${verdict}`),
  'promises broken': ({ truths }, of) =>
    truths
      .filter(({ server }) => server === of)
      .flatMap(({ tools }) => tools)
      .flatMap(({ tool, records }) =>
        records.filter(({ broken }) => broken > 0).map(({ kind, broken }) => `${tool} ${kind} ${broken}`),
      ),
} as const satisfies Readonly<Record<string, (all: Learned, of: string) => unknown>>;

type Topic = keyof typeof LEARNED;
const SEES_ALL = ['observe()', 'wrap'] as const;
const SEES_VALUES = [...SEES_ALL, 'OTLP with values'] as const;

const CALLS_OF_EDIT = Array.from({ length: SESSIONS }, (_, at) => listCalls(at))
  .flat()
  .filter(([tool]) => tool === 'edit_note');
const CONFLICTS = CALLS_OF_EDIT.filter(([, { version }]) => version === 1);
const shareOfEdits = (wrong: number): number => 1 - wrong / CALLS_OF_EDIT.length;

/** What each way learns, and why another way cannot. */
const EXPECTED: readonly (readonly [
  topic: Topic,
  ways: readonly Way[],
  learned: unknown,
  because: string,
])[] = [
  [
    'errors without a recovery, partial failures',
    SEES_VALUES,
    ['TD017 unlock_note', 'TD022 import_notes'],
    'JSON in the text is read wherever the result is seen',
  ],
  ['errors without a recovery, partial failures', ['OTLP'], [], 'a span without its result has no such text'],
  ['correct calls of a tool', SEES_VALUES, shareOfEdits(CONFLICTS.length), 'a conflict is of the caller'],
  [
    'correct calls of a tool',
    ['OTLP'],
    shareOfEdits(SESSIONS),
    'a span without a code shows only that agents took another tool after the last error of the session',
  ],
  ['recovery by the tool that the error names', SEES_ALL, 2 * SESSIONS, 'each time the named tool succeeded'],
  [
    'recovery by the tool that the error names',
    ['OTLP with values', 'OTLP'],
    0,
    'only the process of the server knows which words of an error are tools',
  ],
  ['calls that a guard would stop', SEES_ALL, [2 * SESSIONS], 'five of seven calls are within the budget'],
  ['calls that a guard would stop', ['OTLP with values', 'OTLP'], [], 'there is no guard'],
  ['results fed into later calls', SEES_ALL, 0.5, 'one of two results is used'],
  [
    'results fed into later calls',
    ['OTLP with values', 'OTLP'],
    null,
    'values are compared by the server only',
  ],
  ['what feeds what', SEES_ALL, [`search_users items[].id to id: ${SESSIONS}`], 'each session takes the id'],
  ['what feeds what', ['OTLP with values', 'OTLP'], [], 'values are compared by the server only'],
  [
    'learned recovery',
    SEES_VALUES,
    ['Call get_note, then repeat edit_note with a new version.'],
    'fingerprints of arguments show what was changed',
  ],
  ['learned recovery', ['OTLP'], [], 'without arguments a repeated call looks unchanged'],
  [
    'unstated preconditions, final errors, keys, lists',
    SEES_ALL,
    [
      'TD033 freeze_note',
      'TD034 freeze_note',
      'TD034 send_note',
      'TD035 list_notes',
      'TD036 make_note',
      'TD037 list_notes',
    ],
    'both definitions and values are seen',
  ],
  [
    'unstated preconditions, final errors, keys, lists',
    ['OTLP with values'],
    ['TD034 freeze_note', 'TD034 send_note', 'TD036 make_note', 'TD037 list_notes'],
    'what a description or a schema leaves out needs the definition',
  ],
  ['unstated preconditions, final errors, keys, lists', ['OTLP'], [], 'neither is seen'],
  ['plans', SEES_VALUES, SESSIONS, 'the plan id is in `_meta`, and in the attribute for it'],
  ['plans', ['OTLP'], 0, 'this emitter sends no plan id'],
  ['the tool to remove', WAYS, ['find_stock find_stock_v2 still_called'], 'names and calls are enough'],
  [
    'promises broken',
    SEES_ALL,
    [`read_clock error_codes ${2 * SESSIONS}`],
    'its description lists other codes',
  ],
  ['promises broken', ['OTLP with values', 'OTLP'], [], 'without a definition there is no promise'],
];

test.each(EXPECTED)('%s, learned by %j: %j, because %s', (topic, ways, expected) => {
  for (const way of ways) expect(LEARNED[topic](learned, NAMES[way]), way).toEqual(expected);
});

test('codes of a file count against the correct calls of their server only, and the stored fault stays', async () => {
  const correctOf = (way: Way) => columnOf(learned, NAMES[way], 'lock_note')?.correctCallRate;
  expect(correctOf('wrap')).toMatchObject({ value: 0, n: 3 * SESSIONS });
  expect(correctOf('observe()')).toMatchObject({ value: 1, n: 3 * SESSIONS });
  const { errors } = ErrorsResponse.parse(
    await service.ask(`errors?from=now-1h&server=${NAMES.wrap}&tool=lock_note`),
  );
  expect(errors).toMatchObject([{ code: 'NOTE_LOCKED', fault: 'server', count: 3 * SESSIONS }]);
});

test('each topic has its expectation for each way', () => {
  for (const topic of Object.keys(LEARNED))
    expect(EXPECTED.flatMap(([name, ways]) => (name === topic ? ways : [])).sort(), topic).toEqual(
      [...WAYS].sort(),
    );
});
