// Words that were put into every argument, result, thrown message and foreign attribute are nowhere: not in any text
// column of the store, not in the journal, not in any answer of the API. The same search finds them in capture mode
// `full`, so it is a search that can find.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import type { ResultUseResponse } from '../../src/contract/result-use.ts';
import type { SummaryResponse } from '../../src/contract/summary.ts';
import type { CaptureMode } from '../../src/core/model/tool-call.ts';
import { listChildProcesses } from '../support/child-processes.ts';
import { listFilePaths, readFileIfPresent } from '../support/list-files.ts';
import { isFullRun, sampleCases } from '../support/property-runs.ts';
import {
  type RunningService,
  SPOOL_ENVIRONMENT,
  startService,
  waitUntilDrained,
  waitUntilSpoolEmpty,
} from '../support/service.ts';
import { isExpectedRefusal, listRequests } from './privacy-requests.ts';
import { findInResponses, findInStore } from './privacy-search.ts';

const ECHOING = fileURLToPath(new URL('../fixtures/servers/echoing.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const letters = (): string =>
  Array.from({ length: 9 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('');
/** Said by the caller, known only inside the tool, sent by a foreign emitter; one of each is a word of a dictionary. */
const ARGUMENT_WORDS = [letters(), 'plimsoll'];
const TOOL_WORDS = [letters(), 'marzipan'];
const EMITTER_WORDS = [letters(), 'gossamer'];
/** Long enough, and enough of an id, to be recognised in a result and in a sentence. */
const INSIDE_TEXT = TOOL_WORDS.join('-7-');
const ALL_WORDS = [...ARGUMENT_WORDS, ...TOOL_WORDS, ...EMITTER_WORDS];

async function sendFromServers(service: RunningService, capture: CaptureMode): Promise<void> {
  const ways = ['v1', 'v2'].flatMap((sdk) => [
    { args: [ECHOING, sdk, 'observe'] },
    { args: [MAIN, 'wrap', '--name', `wrapped-${sdk}`, '--', process.execPath, ECHOING, sdk] },
  ]);
  const playing = ways.map(async ({ args }) => {
    const env = {
      ...getDefaultEnvironment(),
      TOOLSCOPE_ENDPOINT: service.base,
      TOOLSCOPE_CAPTURE: capture,
      XDG_STATE_HOME: service.stateDirectory,
      INSIDE_WORD: INSIDE_TEXT,
    };
    const client = new Client({ name: 'speaker', version: '1' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }),
    );
    await client.listTools();
    await followResults(client);
    for (const word of ARGUMENT_WORDS) await callTools(client, word);
    await client.close();
  });
  await Promise.all(playing);
}

/** Passes on what a result had: as a value, below a key that it is itself, and in a sentence. */
async function followResults(client: Client): Promise<void> {
  const [word = ''] = ARGUMENT_WORDS;
  await client.callTool({ name: 'repeats', arguments: { said: word } });
  const nested = { [INSIDE_TEXT]: word, list: [INSIDE_TEXT] };
  for (const said of [INSIDE_TEXT, `See ${INSIDE_TEXT} for it`])
    await client.callTool({ name: 'repeats', arguments: { said, nested } });
}

async function callTools(client: Client, word: string): Promise<void> {
  const args = { said: word, nested: { [word]: word, list: [word, { deep: word }] } };
  for (const name of ['repeats', 'refuses', 'throws', 'strict']) {
    await client.callTool({ name, arguments: { ...args, mode: word } }).catch(() => undefined);
  }
  await client.callTool({ name: 'repeats', arguments: { [word]: word } }).catch(() => undefined);
  await client.readResource({ uri: `mem://${word}/${word}` }).catch(() => undefined);
  await client.readResource({ uri: 'mem://known' }).catch(() => undefined);
  await client.getPrompt({ name: 'p', arguments: { said: word } }).catch(() => undefined);
}

async function postForeign(service: RunningService, ...words: string[]): Promise<void> {
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const nowNano = String(BigInt(Date.now()) * 1_000_000n);
  const spans = words.map((word) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'tools/call lookup',
    kind: 2,
    startTimeUnixNano: nowNano,
    endTimeUnixNano: nowNano,
    status: { code: 2, message: `${word} was refused: ${word}` },
    events: [
      {
        name: 'exception',
        timeUnixNano: nowNano,
        attributes: [
          attribute('exception.type', 'ValueError'),
          attribute('exception.message', `bad ${word}`),
        ],
      },
    ],
    attributes: [
      attribute('mcp.method.name', 'tools/call'),
      attribute('gen_ai.tool.name', 'lookup'),
      attribute('error.type', 'tool_error'),
      attribute('gen_ai.tool.call.arguments', JSON.stringify({ query: word, [word]: 1 })),
      attribute('gen_ai.tool.call.result', JSON.stringify({ content: [{ type: 'text', text: word }] })),
      attribute('mcp.resource.uri', `mem://${word}`),
      attribute('enduser.id', word),
      attribute('some.vendor.note', word),
      attribute(word, word),
    ],
  }));
  const resource = {
    attributes: [attribute('service.name', 'foreign'), attribute('k8s.pod.name', words[0] ?? '')],
  };
  const response = await service.post(
    JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
  );
  expect(response.status).toBe(200);
}

function findInFiles(folder: string): string[] {
  return listFilePaths(folder)
    .filter((file) => !file.includes('/engine/'))
    .flatMap((file) => {
      const text = readFileIfPresent(file).toString('latin1').toLowerCase();
      return ALL_WORDS.filter((word) => text.includes(word)).map((word) => `${file}: ${word}`);
    });
}

/** Asks everything that a service answers. @returns the words with the requests whose answers have them */
async function findInApi(service: RunningService): Promise<string[]> {
  const finds = new Map<string, string[]>();
  const requests = await listRequests(service);
  const refused = await findInResponses(service, requests, { needles: ALL_WORDS, finds });
  expect(refused).toEqual(refused.filter(isExpectedRefusal));
  return [...finds].flatMap(([word, paths]) => paths.map((path) => `${path}: ${word}`));
}

interface Leaks {
  readonly journal: string[];
  readonly answers: string[];
  readonly log: string[];
  readonly store: string[];
}

/** Plays everything while the engine is held still, so that the journal still has it all; then lets it be stored. */
async function findLeaks(capture: CaptureMode): Promise<Leaks> {
  const service = await startService({ environment: { ...SPOOL_ENVIRONMENT, TOOLSCOPE_CAPTURE: capture } });
  try {
    // Once a first span is stored, the ingest knows the store's recent past and needs it no more for new spans.
    await postForeign(service, 'harbour');
    await waitUntilDrained(service);
    const [engine = 0] = listChildProcesses(service.pid);
    process.kill(engine, 'SIGSTOP');
    await sendFromServers(service, capture);
    await postForeign(service, ...EMITTER_WORDS);
    await waitUntilSpoolEmpty(service.stateDirectory);
    const journal = findInFiles(service.dataDirectory);
    process.kill(engine, 'SIGCONT');
    await waitUntilDrained(service);
    expect((await service.ask<SummaryResponse>('summary')).totals.calls).toBeGreaterThanOrEqual(43);
    // There is something to be found: values that results had were followed, as a whole and in part.
    const { edges } = await service.ask<ResultUseResponse>('result-use');
    const followed = {
      whole: edges.some(({ calls, partialCalls }) => partialCalls < calls),
      part: edges.some(({ partialCalls }) => partialCalls > 0),
    };
    expect(followed).toEqual({ whole: capture !== 'none', part: capture !== 'none' });
    const answers = await findInApi(service);
    await service.halt();
    const finds = new Map<string, string[]>();
    const { columns, calls } = await findInStore(service.dataDirectory, ALL_WORDS, finds);
    expect(columns).toBeGreaterThan(40);
    expect(calls).toBeGreaterThan(50);
    const found = [...finds].flatMap(([word, places]) => places.map((place) => `${place}: ${word}`));
    const log = ALL_WORDS.filter((word) => service.log().toLowerCase().includes(word));
    return { journal, answers, log, store: found };
  } finally {
    await service.stop();
  }
}

// Requirement: privacy.default
describe('private words in calls', { timeout: 300_000 }, () => {
  test.each(sampleCases<'shape' | 'none'>(['shape', 'none'], 2))(
    'no private word is stored, logged or returned in capture mode %s',
    async (mode) => {
      expect(await findLeaks(mode)).toEqual({ journal: [], answers: [], log: [], store: [] });
    },
  );

  // What the search can find changes with the search only.
  test.runIf(isFullRun)('the same search finds the private words in full mode', async () => {
    const { journal, store } = await findLeaks('full');
    for (const word of ALL_WORDS) {
      expect(journal.some((line) => line.endsWith(`: ${word}`))).toBe(true);
      expect(store.some((line) => line.endsWith(`: ${word}`))).toBe(true);
    }
  });
});
