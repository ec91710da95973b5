// What programs of others rely on, compared with `fixtures/public-api.json`: the paths, parameters and fields of the API, the
// flags and output of the command line, the exports of the package. More of anything may be added; nothing in the file may be
// lost, renamed or given another type. Needs `npm run build` first, as `npm test` does.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toSpan } from '../src/core/dialects/toolscope-span.ts';
import type { ToolCall } from '../src/core/model/tool-call.ts';
import { encodeTracesJson } from '../src/core/otlp/encode-json.ts';
import { runInProcess } from './cli/run-program.ts';
import { exampleCall } from './service/ingest/example-call.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from './support/in-process-service.ts';
import {
  type FieldTypes,
  type JsonSchema,
  listSchemaFields,
  listValueFields,
} from './support/json-fields.ts';
import { until } from './support/service.ts';

const Fields = z.record(
  z.string(),
  z.string().transform((types) => types.split(' | ')),
);

const GOLDEN = z
  .object({
    resources: z.record(
      z.string(),
      z.object({
        /** Values of each parameter that are accepted; `<nextCursor>` is the one that a page of one row returns. */
        parameters: z.record(z.string(), z.array(z.string())),
        /** Requests whose responses together show every field. */
        requests: z.array(z.record(z.string(), z.string())).min(1),
        fields: Fields,
        /** Optional fields that this data does not show. */
        notShown: z.array(z.string()).default([]),
      }),
    ),
    commands: z.record(z.string(), z.array(z.string())),
    detect: Fields,
    exports: z.array(z.string()),
  })
  .parse(JSON.parse(readFileSync(new URL('fixtures/public-api.json', import.meta.url), 'utf8')));

const RESOURCES = Object.entries(GOLDEN.resources);

let folder: string;
let service: InProcessService;
let schemas: Readonly<Record<string, JsonSchema>>;

const MINUTE_US = 60_000_000;
const PREVIOUS_DAY_US = 26 * 60 * MINUTE_US;
const nowUs = Date.now() * 1_000;
const hash = (n: number): string => n.toString(16).padStart(16, '0');

/** Call number `n`, a success of `search` some minutes ago. */
function createCall(n: number, over: Partial<ToolCall> = {}): ToolCall {
  return exampleCall({
    ...{ traceId: hash(n).padStart(32, 'a'), spanId: hash(n + 1), startedAtUs: nowUs - (60 - n) * MINUTE_US },
    ...{ serverName: 'notes', outcome: 'ok', fault: 'none', errorCode: '', errorType: '', errorMessage: '' },
    ...{ errorArgument: '', errorFingerprint: '', errorInResult: false, sessionId: 'looping' },
    ...{ argumentsFingerprint: hash(7), argumentsMaskedFingerprint: hash(7), resultFingerprint: hash(8) },
    ...{ resultMaskedFingerprint: hash(8), resultTrait: '', argumentFingerprints: { query: hash(9) } },
    ...over,
  });
}

const FAILURE: Partial<ToolCall> = {
  ...{ outcome: 'tool_error', fault: 'server', errorCode: 'RATE_LIMITED', errorType: 'Error' },
  ...{ errorMessage: 'retry later', errorInResult: true, sessionId: 'failing', toolName: 'write' },
};

/** Loops, failures, tools that are listed and never called, a second server, and one call of the day before. */
function createDocument(): string {
  const tools = ['search', 'write', 'write_all', 'search_all'].map((name) => ({
    name,
    description: `To ${name}.`,
  }));
  const listing = createCall(19, { method: 'tools/list', toolName: '', sessionId: 'failing' });
  const spans = [
    ...Array.from({ length: 8 }, (_, n) => toSpan({ call: createCall(n) })),
    ...Array.from({ length: 8 }, (_, n) =>
      toSpan({ call: createCall(n + 30, { sessionId: 'looping too' }) }),
    ),
    toSpan({ call: createCall(10, FAILURE) }),
    toSpan({ call: createCall(11, { ...FAILURE, errorCode: 'HTTP_404' }) }),
    ...Array.from({ length: 12 }, (_, n) =>
      toSpan({ call: createCall(n + 60, { ...FAILURE, startedAtUs: nowUs - (13 - n) * 10_000_000 }) }),
    ),
    toSpan({ call: createCall(14, { serverName: 'files', sessionId: 'other' }) }),
    toSpan({ call: createCall(12, { startedAtUs: nowUs - PREVIOUS_DAY_US, sessionId: 'earlier' }) }),
    toSpan({
      call: listing,
      listing: {
        ...{ serverName: 'notes', serverVersion: '1.4.2', environment: 'production', origin: 'list' },
        ...{ listedAtUs: listing.startedAtUs, catalogue: { hash: hash(11), tools } },
      },
    }),
  ];
  return encodeTracesJson(spans);
}

beforeAll(async () => {
  folder = createServiceFolder();
  service = await startInProcessService(folder);
  const sent = await fetch(`${service.url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: createDocument(),
  });
  if (sent.status !== 200) throw new Error(await sent.text());
  await service.settled();
  await until(async () => (await service.ask<{ total: number }>('loops')).total >= 2 || undefined);
  schemas = await readResponseSchemas();
}, 120_000);

afterAll(async () => {
  await service?.close();
  removeServiceFolder(folder);
}, 60_000);

/** The schema of each path's successful response, from the OpenAPI document. */
async function readResponseSchemas(): Promise<Record<string, JsonSchema>> {
  const document = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as {
    paths: Record<string, { get?: { responses: Record<string, { content?: Record<string, unknown> }> } }>;
  };
  const found = Object.entries(document.paths).flatMap(([path, { get }]) => {
    const content = get?.responses['200']?.content?.['application/json'];
    return content ? [[path, (content as { schema: JsonSchema }).schema] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The path of a resource, of the looping session where it has an id, with these parameters. */
function toUrl(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  return `${service.url}${path.replace('{id}', 'looping')}?${new URLSearchParams(parameters)}`;
}

/** What every request to this path needs. */
function toRequiredParameters(path: string): Record<string, string> {
  return path === '/api/v1/series' ? { metric: 'calls' } : {};
}

async function requestJson(path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await fetch(toUrl(path, { ...toRequiredParameters(path), ...parameters }));
  const body: unknown = await response.json();
  expect([path, parameters, response.status, response.ok || body]).toEqual([path, parameters, 200, true]);
  return body;
}

const Page = z.object({ nextCursor: z.string() });

/** Golden types that are missing, and types that are not in the golden file; further words of a choice are fine. */
function findTypeChanges(golden: FieldTypes, actual: FieldTypes): string[] {
  return Object.entries(golden).flatMap(([path, types]) => {
    const found = actual[path] ?? [];
    const lost = types.filter((type) => !found.includes(type)).map((type) => `${path}: ${type} is lost`);
    const added = found.filter((type) => !types.includes(type) && !type.startsWith('"'));
    return [...lost, ...added.map((type) => `${path}: ${type} is new`)];
  });
}

/** Whether a value's type is one of those; words are text. */
function isOneOf(type: string, types: readonly string[]): boolean {
  return types.includes(type) || (type === 'string' && types.some((one) => one.startsWith('"')));
}

/** Golden fields that the responses do not have, or have with another type. */
function findFieldChanges(golden: FieldTypes, actual: FieldTypes, notShown: readonly string[]): string[] {
  return Object.entries(golden).flatMap(([path, types]) => {
    const found = path.endsWith('{}')
      ? Object.entries(actual).flatMap(([name, own]) => (name.startsWith(`${path.slice(0, -2)}.`) ? own : []))
      : (actual[path] ?? []);
    if (found.length === 0) return notShown.some((one) => path.startsWith(one)) ? [] : [`${path} is lost`];
    return found.filter((type) => !isOneOf(type, types)).map((type) => `${path}: ${type} is new`);
  });
}

// Requirement: outside.frozen
describe('stable HTTP API', () => {
  test.each(RESOURCES)('%s has every documented field with its type', (path, { fields }) => {
    expect(findTypeChanges(fields, listSchemaFields(schemas[path] ?? {}))).toEqual([]);
  });

  test.each(RESOURCES)('%s returns every field with its type', async (path, golden) => {
    const values = await Promise.all(golden.requests.map((parameters) => requestJson(path, parameters)));
    expect(findFieldChanges(golden.fields, listValueFields(values), golden.notShown)).toEqual([]);
  });

  const parameters = RESOURCES.flatMap(([path, golden]) =>
    Object.entries(golden.parameters).map(([name, values]) => ({ path, name, values })),
  );

  test.each(parameters)('$path accepts the parameter $name', async ({ path, name, values }) => {
    for (const value of values) {
      if (value !== '<nextCursor>') await requestJson(path, { [name]: value });
      else {
        const { nextCursor } = Page.parse(await requestJson(path, { limit: '1' }));
        await requestJson(path, { limit: '1', cursor: nextCursor });
      }
    }
  });

  const queried = RESOURCES.filter(([, golden]) => Object.keys(golden.parameters).length > 0);

  test.each(queried)('%s rejects a parameter that does not exist', async (path) => {
    const response = await fetch(toUrl(path, { ...toRequiredParameters(path), unknown: 'x' }));
    expect(response.status).toBe(400);
  });
});

describe('stable command line', () => {
  test.each(Object.entries(GOLDEN.commands))(
    'toolscope %s has its documented flags',
    async (command, flags) => {
      const { code, stdout } = await runInProcess([command, '--help']);
      expect(code).toBe(0);
      expect(flags.filter((flag) => !new RegExp(`^ +${flag}\\b`, 'm').test(stdout))).toEqual([]);
    },
  );

  test('detect reads sessions as JSON lines and writes a verdict for each', async () => {
    const call = { tool: 'search', arguments: { q: 'x' }, outcome: 'ok', resultFingerprint: hash(1) };
    const line = JSON.stringify({ sessionId: 'a', calls: Array.from({ length: 6 }, () => call) });
    const { code, stdout } = await runInProcess(['detect'], `${line}\n${line}\n`);
    const verdicts = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as unknown);
    expect([code, verdicts.length]).toEqual([0, 2]);
    expect(findFieldChanges(GOLDEN.detect, listValueFields(verdicts), [])).toEqual([]);
  });
});

test('dist/index.js exports the documented names', async () => {
  const exported: object = await import(new URL('../dist/index.js', import.meta.url).href);
  expect(Object.keys(exported)).toEqual(expect.arrayContaining(GOLDEN.exports));
});
