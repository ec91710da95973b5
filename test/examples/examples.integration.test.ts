// Runs every example as a process of its own, with a real client, and sees its calls in a real service. Needs
// `npm run build` first, because the examples import the built package.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { adoptSpool } from '../../src/cli/up/adopt-spool.ts';
import { readEnvironment } from '../../src/instrumentation/wrapper/environment.ts';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../support/in-process-service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const listExamples = (): string[] =>
  readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));
const toArguments = (file: string): string[] => ['--import', 'tsx', join(ROOT, 'examples', file)];

let folder: string;
let service: InProcessService;
let stopAdopting: () => Promise<void>;

beforeAll(async () => {
  folder = createServiceFolder();
  service = await startInProcessService(folder);
  // As `toolscope up` does: the last calls of a process that has ended are in its spool.
  const environment = readEnvironment(createEnvironment());
  stopAdopting = adoptSpool({ environment, url: service.url, token: undefined });
});
afterAll(async () => {
  await stopAdopting();
  await service.close();
  removeServiceFolder(folder);
});

/** The environment of an example: a home of its own, and `toolscope` on the PATH as after an installation. */
function createEnvironment(): Record<string, string> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'toolscope');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'dist/cli/main.js')}" "$@"\n`);
  chmodSync(program, 0o755);
  return {
    PATH: [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(':'),
    HOME: folder,
    TOOLSCOPE_ENDPOINT: service.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: service.url,
  };
}

async function callForecast(transport: Parameters<Client['connect']>[0]): Promise<unknown> {
  const client = new Client({ name: 'example-test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  const { content } = await client.callTool({ name: 'get_forecast', arguments: { city: 'Lisbon' } });
  return content;
}

function callOverStdio(file: string): Promise<unknown> {
  return callForecast(
    new StdioClientTransport({
      command: process.execPath,
      args: toArguments(file),
      cwd: ROOT,
      env: createEnvironment(),
    }),
  );
}

function startExample(file: string, environment: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, toArguments(file), {
    cwd: ROOT,
    env: { ...createEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function runToEnd(file: string): Promise<{ code: unknown; output: string }> {
  const child = startExample(file);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, output };
}

interface Calls {
  readonly calls: readonly { readonly server: string; readonly tool: string }[];
}

async function waitForCall(server: string, tool: string): Promise<void> {
  const fetchCalls = () => service.ask<Calls>(`calls?server=${server}&tool=${tool}`);
  await expect.poll(async () => (await fetchCalls()).calls.length, { timeout: 30_000 }).toBe(1);
}

const FORECAST = [{ type: 'text', text: 'Sunny in Lisbon.' }];

test.each([
  ['stdio-server.ts', 'weather'],
  ['low-level-server.ts', 'weather-low-level'],
])('%s answers a client over stdio, and its call is stored as a call of %s', async (file, server) => {
  expect(await callOverStdio(file)).toEqual(FORECAST);
  await waitForCall(server, 'get_forecast');
});

test('http-server.ts answers a client over Streamable HTTP, and its call is stored', async () => {
  const child = startExample('http-server.ts', { PORT: '0' });
  const [line] = await once(child.stdout!, 'data');
  const url = new URL(String(line).replace('Listening on ', '').trim());
  const transport = new StreamableHTTPClientTransport(url);
  expect(await callForecast(transport as Parameters<Client['connect']>[0])).toEqual(FORECAST);
  await waitForCall('weather-http', 'get_forecast');
});

test('wrapped-server.ts starts a third-party server, and its call is stored', async () => {
  const { code, output } = await runToEnd('wrapped-server.ts');
  expect([code, output]).toEqual([0, expect.stringContaining('hello')]);
  await waitForCall('everything', 'echo');
});

test('opentelemetry.ts sends a span that is stored as a call', async () => {
  expect(await runToEnd('opentelemetry.ts')).toEqual({ code: 0, output: '' });
  await waitForCall('weather-otlp', 'get_forecast');
});

test('stop-looping-agents.ts is told of an agent that repeats a call', async () => {
  const child = spawn(process.execPath, [...toArguments('stop-looping-agents.ts'), 'weather-low-level'], {
    cwd: ROOT,
    env: createEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  await expect.poll(() => output, { timeout: 30_000 }).toContain('Following the loops of weather-low-level');
  const client = new Client({ name: 'looping-agent', version: '1.0.0' });
  onTestFinished(() => client.close());
  const args = toArguments('low-level-server.ts');
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: ROOT, env: createEnvironment() }),
  );
  for (let call = 0; call < 12; call += 1) await client.callTool({ name: 'get_forecast', arguments: {} });
  await expect.poll(() => output, { timeout: 60_000 }).toContain('Stop session');
});

test('each example is listed in the README and covered by this file', () => {
  const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
  const tests = readFileSync(fileURLToPath(import.meta.url), 'utf8');
  const examples = listExamples();
  expect(examples.length).toBeGreaterThan(4);
  expect(examples.filter((name) => !readme.includes(`(${name})`) || !tests.includes(`'${name}`))).toEqual([]);
});
