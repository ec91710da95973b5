// Published servers, a real client: with and without the proxy the client sees the same, and every call arrives.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OtlpReceiver, respond, startOtlpReceiver } from '../instrumentation/exporter/otlp-receiver.ts';
import { callsIn, cleanEnvironment, until, wrapCommand } from './run-wrap.ts';

const require = createRequire(import.meta.url);
let folder = '';
let receiver: OtlpReceiver;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolscope-wrap-'));
  writeFileSync(join(folder, 'hello.txt'), 'hello');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => receiver.close());

function entryOf(name: string): string {
  return join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist', 'index.js');
}

/** A request and how its answer must look from both sides; a call that fails is given by the outcome it has. */
interface Step {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly outcome: string;
}

interface Published {
  readonly name: string;
  readonly args: () => string[];
  readonly server: string;
  readonly steps: () => Step[];
}

const SERVERS: readonly Published[] = [
  {
    name: 'server-everything',
    args: () => ['stdio'],
    server: 'mcp-servers/everything',
    steps: () => [
      { tool: 'echo', args: { message: 'Grüße 🎉' }, outcome: 'ok' },
      { tool: 'get-sum', args: { a: 2, b: 3 }, outcome: 'ok' },
      { tool: 'get-sum', args: { a: 'two' }, outcome: 'invalid_arguments' },
      { tool: 'no-such-tool', args: {}, outcome: 'unknown_tool' },
      { tool: 'get-tiny-image', args: {}, outcome: 'ok' },
    ],
  },
  {
    name: 'server-filesystem',
    args: () => [folder],
    server: 'secure-filesystem-server',
    steps: () => [
      { tool: 'read_text_file', args: { path: join(folder, 'hello.txt') }, outcome: 'ok' },
      { tool: 'list_directory', args: { path: folder }, outcome: 'ok' },
      { tool: 'read_text_file', args: { path: join(folder, 'absent.txt') }, outcome: 'tool_error' },
    ],
  },
  {
    name: 'server-memory',
    args: () => [],
    server: 'memory-server',
    steps: () => [
      { tool: 'read_graph', args: {}, outcome: 'ok' },
      { tool: 'search_nodes', args: { query: 'x' }, outcome: 'ok' },
    ],
  },
  {
    name: 'server-sequential-thinking',
    args: () => [],
    server: 'sequential-thinking-server',
    steps: () => [
      {
        tool: 'sequentialthinking',
        args: { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
        outcome: 'ok',
      },
    ],
  },
];

/** Lists, calls every step, and gives everything the client got to see. It leaves after `beforeEnd`. */
async function runClient(
  line: { command: string; args: string[] },
  { name, steps }: Published,
  beforeEnd = async (): Promise<void> => undefined,
): Promise<unknown> {
  const variables = {
    TOOLSCOPE_ENDPOINT: new URL(receiver.url).origin,
    MEMORY_FILE_PATH: join(folder, `${name}.json`),
  };
  const transport = new StdioClientTransport({ ...line, env: cleanEnvironment(variables), stderr: 'ignore' });
  const client = new Client({ name: 'tester', version: '1.0' });
  await client.connect(transport);
  const responses: unknown[] = [
    client.getServerVersion(),
    client.getServerCapabilities(),
    await client.listTools(),
  ];
  for (const { tool, args } of steps()) {
    const answered = client.callTool({ name: tool, arguments: args });
    responses.push(await answered.catch((error: Error) => ({ thrown: error.message })));
  }
  await beforeEnd();
  await client.close();
  return responses;
}

describe('published servers behind the proxy', () => {
  test.each(SERVERS)(
    'the client of $name sees the same responses through the proxy, and every call is recorded',
    { timeout: 180_000 },
    async (published) => {
      receiver = await startOtlpReceiver(respond(200));
      const direct = { command: process.execPath, args: [entryOf(published.name), ...published.args()] };
      const plain = await runClient(direct, published);
      expect(receiver.bodies).toEqual([]);
      const steps = published.steps();
      const toolCalls = () => callsIn(receiver).filter(({ method }) => method === 'tools/call');
      const line = wrapCommand(['--', direct.command, ...direct.args]);
      // The client gives a server two seconds to end, and then no more time to send anything.
      const wrapped = await runClient(line, published, () =>
        until(() => toolCalls().length >= steps.length, 'all calls'),
      );
      expect(wrapped).toEqual(plain);
      expect(toolCalls().map(({ toolName, outcome }) => [toolName, outcome])).toEqual(
        steps.map(({ tool, outcome }) => [tool, outcome]),
      );
      for (const call of toolCalls()) {
        expect(call).toMatchObject({
          serverName: published.server,
          clientName: 'tester',
          transport: 'stdio',
        });
        expect(call.catalogueHash).toMatch(/^[0-9a-f]{16}$/);
      }
      expect(callsIn(receiver).map(({ method }) => method)).toContain('tools/list');
      expect(Buffer.concat(receiver.bodies).toString()).toContain('toolscope.catalogue.tools');
    },
  );
});
