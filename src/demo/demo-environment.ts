// Starts the demo's servers and clients: published servers through `toolscope wrap`, our own with
// `observe()`, and a real MCP client for each connection. It does not depend on the expected counts.

import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {
  AgentConnection,
  AgentEnvironment,
  CallResult,
  ConnectOptions,
  DemoServer,
} from './agent-script.ts';

const require = createRequire(import.meta.url);
const resolveHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const resolvePublishedServer = (name: string): string =>
  require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);

export interface DemoEnvironmentOptions {
  readonly endpoint: string;
  /** An empty folder for the demo, removed by the caller. */
  readonly folder: string;
  /** 0: agents do not wait between calls. 1: they wait as long as a model would. */
  readonly pace: number;
}

interface RunningServer {
  readonly process: ChildProcess;
  readonly url: URL;
}

/** The members of all three client classes that the scenarios use. */
interface DemoClient {
  listTools(params: object): Promise<{ tools: { name: string }[] }>;
  callTool(params: {
    name: string;
    arguments: Record<string, unknown>;
    _meta?: Record<string, unknown>;
  }): Promise<unknown>;
  close(): Promise<void>;
}

function toCallResult(result: unknown): CallResult {
  // The client has validated the result against MCP's schema.
  const { content, isError, structuredContent } = result as {
    content?: { type: string; text?: string }[];
    isError?: boolean;
    structuredContent?: Record<string, unknown>;
  };
  const text = (content ?? []).map((part) => part.text ?? '').join('\n');
  return { failed: isError === true, text, structured: structuredContent ?? {} };
}

function createAgentConnection(
  client: DemoClient,
  { traceparent, pace }: { traceparent: string | undefined; pace: number },
): AgentConnection {
  const meta = traceparent ? { _meta: { traceparent } } : {};
  return {
    list: async () => (await client.listTools(meta)).tools.map((tool) => tool.name),
    async call(tool, args = {}) {
      try {
        return toCallResult(await client.callTool({ name: tool, arguments: { ...args }, ...meta }));
      } catch (error) {
        return { failed: true, text: error instanceof Error ? error.message : String(error), structured: {} };
      }
    },
    think: (ms) =>
      pace === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms * pace)),
    close: () => client.close(),
  };
}

export interface DemoEnvironment {
  /** Returns the environment of one agent; `agent` is also the client name sent to servers. */
  forAgent(agent: string): AgentEnvironment;
  close(): Promise<void>;
}

async function startHttpServer(file: string, environment: Record<string, string>): Promise<RunningServer> {
  const child = fork(resolveHere(file), { env: environment, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const port = await new Promise<number>((resolve, reject) => {
    // Our own servers send exactly this one message.
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`${file} ended with code ${code} before it listened.`)));
  });
  return { process: child, url: new URL(`http://127.0.0.1:${port}/mcp`) };
}

async function stopServer({ process: child }: RunningServer): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await ended;
}

/** Starts the HTTP servers; stdio servers start with each connection, as with a real client. */
export async function createDemoEnvironment({
  endpoint,
  folder,
  pace,
}: DemoEnvironmentOptions): Promise<DemoEnvironment> {
  const environment = {
    ...getDefaultEnvironment(),
    TOOLSCOPE_ENDPOINT: endpoint,
    XDG_STATE_HOME: `${folder}/state`,
  };
  const [httpServer, modernServer] = await Promise.all([
    startHttpServer('./servers/notes-http.js', environment),
    startHttpServer('./servers/notes-modern.js', environment),
  ]);
  const toWrapArgs = (name: string, ...args: string[]): string[] => [
    resolveHere('../cli/main.js'),
    'wrap',
    '--name',
    name,
    '--',
    process.execPath,
    resolvePublishedServer(name),
    ...args,
  ];
  const stdioArgs: Partial<Record<DemoServer, string[]>> = {
    everything: toWrapArgs('everything', 'stdio'),
    filesystem: toWrapArgs('filesystem', folder),
    memory: toWrapArgs('memory'),
    'sequential-thinking': toWrapArgs('sequential-thinking'),
    notes: [resolveHere('./servers/notes-stdio.js')],
  };

  async function connect(agent: string, server: DemoServer): Promise<DemoClient> {
    if (server === 'notes-modern') {
      const client = new ModernClient(
        { name: agent, version: '1.0.0' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      await client.connect(new ModernTransport(modernServer.url));
      return client;
    }
    const client = new Client({ name: agent, version: '1.0.0' });
    const args = stdioArgs[server];
    const env = { ...environment, MEMORY_FILE_PATH: `${folder}/memory-${agent}.json` };
    const transport = args
      ? new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(httpServer.url);
    // As in the servers: the SDK's own classes do not match its interface under exactOptionalPropertyTypes.
    await client.connect(transport as Parameters<Client['connect']>[0]);
    return client;
  }

  return {
    forAgent: (agent) => ({
      folder,
      async connect(server: DemoServer, { traceparent }: ConnectOptions = {}) {
        return createAgentConnection(await connect(agent, server), { traceparent, pace });
      },
    }),
    close: async () => {
      await Promise.all([stopServer(httpServer), stopServer(modernServer)]);
    },
  };
}
