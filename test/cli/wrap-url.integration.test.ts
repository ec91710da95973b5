// `toolscope wrap --url` between real clients and real servers of both SDKs, over every kind of HTTP transport.
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type OtlpReceiver, respond, startOtlpReceiver } from '../instrumentation/exporter/otlp-receiver.ts';
import { callsIn, startWrap, until, type WrapRun } from './run-wrap.ts';
import { endpointOf } from './wrap-runs.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** By the first part of the path. */
const routes = new Map<string, Handler>();
let upstream: Server;
let receiver: OtlpReceiver;
let run: WrapRun;
let direct = '';
let proxied = '';

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const route = routes.get(/^\/[^/?]*/.exec(request.url ?? '')?.[0] ?? '');
    if (route === undefined) response.writeHead(404).end();
    else route(request, response);
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  direct = originOf(upstream);
  receiver = await startOtlpReceiver(respond(200));
  run = startWrap(['--url', `${direct}/mcp`, '--allowed-hosts', 'tools.example'], endpointOf(receiver));
  await until(() => run.stderr().includes('forwards to'), 'the address of the proxy');
  proxied = /(http:\/\/127\.0\.0\.1:\d+)\/mcp forwards to/.exec(run.stderr())?.[1] ?? '';
});

afterAll(async () => {
  run.child.kill('SIGTERM');
  expect(await run.ended).toEqual({ code: 0, signal: null });
  upstream.closeAllConnections();
  upstream.close();
  await receiver.close();
});

beforeEach(() => {
  receiver.bodies.length = 0;
});

const LARGE = 'x'.repeat(5 * 1024 * 1024);

/** Of either SDK: the v2 one takes the schema whole. */
function addTools(server: McpServer | McpServerV2): void {
  const schema = z.object({ a: z.number() });
  const given = server as McpServerV2;
  const inputSchema = server instanceof McpServer ? (schema.shape as never) : schema;
  given.registerTool('add', { inputSchema }, ({ a }) => ({
    content: [{ type: 'text', text: String(a + 1) }],
  }));
  given.registerTool('large', {}, () => ({ content: [{ type: 'text', text: LARGE }] }));
}

function createV1(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.2.3' });
  addTools(server);
  return server;
}

function serveStateful(enableJsonResponse: boolean): Handler {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id'] ?? ''));
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await createV1().connect(transport as never);
    return transport.handleRequest(request, response);
  };
}

const serveStateless: Handler = async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined } as never);
  await createV1().connect(transport as never);
  await transport.handleRequest(request, response);
};

function serveLegacy(): void {
  const transports = new Map<string, SSEServerTransport>();
  routes.set('/sse', async (_request, response) => {
    // An absolute address, which the proxy has to change.
    const transport = new SSEServerTransport(`${direct}/messages`, response);
    transports.set(transport.sessionId, transport);
    await createV1().connect(transport);
  });
  routes.set('/messages', async (request, response) => {
    const id = new URL(request.url ?? '', direct).searchParams.get('sessionId') ?? '';
    await transports.get(id)?.handlePostMessage(request, response);
  });
}

function createModern(): Handler {
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServerV2({ name: 'modern', version: '4' });
      addTools(server);
      return server;
    }),
  );
  return (request, response) => handler(request as never, response);
}

interface Connected {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: 'tester', version: '9' };

async function connectV1(url: URL): Promise<Connected> {
  const client = new Client(INFO);
  const legacy = url.pathname === '/sse';
  await client.connect(
    (legacy ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)) as never,
  );
  return client as Connected;
}

async function connectV2(url: URL): Promise<Connected> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } } as never);
  await client.connect(new HttpV2(url) as never);
  return client as Connected;
}

async function useTools(client: Connected): Promise<unknown[]> {
  const answers = [
    await client.callTool({ name: 'add', arguments: { a: 1 } }),
    await client.callTool({ name: 'add', arguments: { a: 'one' } }),
    await client.callTool({ name: 'large', arguments: {} }),
  ];
  await client.close();
  return answers;
}

async function toolCalls(count: number) {
  const calls = () => callsIn(receiver).filter(({ method }) => method === 'tools/call');
  await expect.poll(() => calls().length).toBe(count);
  return calls();
}

describe('clients and servers of the SDKs', () => {
  beforeAll(() => {
    routes.set('/stateful', serveStateful(false));
    routes.set('/json', serveStateful(true));
    routes.set('/stateless', serveStateless);
    routes.set('/modern', createModern());
    serveLegacy();
  });

  test.each<[string, string, (url: URL) => Promise<Connected>, string, object]>([
    [
      'v1',
      'a stateful v1 server with streams',
      connectV1,
      '/stateful',
      { transport: 'http', sessionSource: 'transport' },
    ],
    [
      'v1',
      'a stateful v1 server with JSON',
      connectV1,
      '/json',
      { transport: 'http', sessionSource: 'transport' },
    ],
    [
      'v1',
      'a stateless v1 server',
      connectV1,
      '/stateless',
      { transport: 'http', sessionId: '', clientName: '' },
    ],
    [
      'v1',
      'a v1 server of the 2024-11-05 transport',
      connectV1,
      '/sse',
      { transport: 'sse', sessionSource: 'transport' },
    ],
    ['v2', 'a v2 server', connectV2, '/modern', { transport: 'http', protocolVersion: '2026-07-28' }],
    ['v2', 'a stateful v1 server', connectV2, '/stateful', { transport: 'http', sessionSource: 'transport' }],
  ])(
    'client %s of %s gets the same answers, and each call is recorded once',
    async (_client, _server, connect, path, facts) => {
      const expected = await useTools(await connect(new URL(path, direct)));
      expect(await useTools(await connect(new URL(path, proxied)))).toEqual(expected);
      const calls = await toolCalls(3);
      expect(calls.map(({ toolName, outcome }) => [toolName, outcome])).toEqual([
        ['add', 'ok'],
        ['add', 'invalid_arguments'],
        ['large', 'ok'],
      ]);
      const server = path === '/modern' ? 'modern' : 'notes';
      for (const call of calls) expect(call).toMatchObject({ serverName: server, ...facts });
      if (path !== '/stateless') for (const call of calls) expect(call.clientName).toBe('tester');
      expect(new Set(calls.map(({ sessionId }) => sessionId)).size).toBe(1);
      expect(calls[2]?.resultBytes).toBeGreaterThan(LARGE.length);
    },
  );
});

const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add', arguments: {} },
});
const ANSWER = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [] } });

function post(path: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  const accept = 'application/json, text/event-stream';
  return fetch(`${proxied}${path}`, {
    method: 'POST',
    body: CALL,
    headers: { 'content-type': 'application/json', accept, ...headers },
    ...(signal && { signal }),
  });
}

describe('forwarding', () => {
  test('headers and bodies arrive as they were sent, without those of one connection', async () => {
    const seen: { headers: string[]; body: string }[] = [];
    routes.set('/echo', async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ headers: request.rawHeaders, body });
      response.sendDate = false;
      response.writeHead(418, 'Short and stout', [
        'X-One',
        '1',
        'X-One',
        '2',
        'Connection',
        'x-hop',
        'X-Hop',
        '3',
      ]);
      response.end('\r\n{"a" : 1}\n');
    });
    const ask = async (origin: string) => {
      const sent = httpRequest(`${origin}/echo?q=%20`, {
        method: 'POST',
        headers: { Authorization: 'Bearer x', 'Mcp-Session-Id': 's' },
      });
      sent.end('{ "b":2 }');
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      let body = '';
      for await (const chunk of response) body += chunk;
      const named = response.rawHeaders.flatMap((name, at) =>
        at % 2 === 0 && name === 'X-One' ? [response.rawHeaders[at + 1]] : [],
      );
      return {
        status: response.statusCode,
        message: response.statusMessage,
        named,
        hop: response.headers['x-hop'],
        body,
      };
    };
    const expected = await ask(direct);
    expect(await ask(proxied)).toEqual({ ...expected, hop: undefined });
    const withoutHop = seen.map(({ headers, body }) => {
      const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
      return [pairs.filter((pair) => !/^(connection|transfer-encoding):/i.test(pair)), body];
    });
    expect(withoutHop[1]).toEqual(withoutHop[0]);
  });

  test('an event reaches the client before the next one is written', async () => {
    let finish = (): void => {};
    routes.set('/slow', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
      finish = () => response.end(`data: ${ANSWER}\n\n`);
    });
    const response = await post('/slow');
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('progress');
    finish();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(`data: ${ANSWER}\n\n`);
    expect(await toolCalls(1)).toMatchObject([{ outcome: 'ok' }]);
  });

  test('a client that aborts ends the request to the server, and its call is abandoned', async () => {
    const closed = new Promise<void>((resolve) => {
      routes.set('/abort', (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': hello\n\n');
        response.on('close', resolve);
      });
    });
    const aborter = new AbortController();
    await post('/abort', {}, aborter.signal);
    aborter.abort();
    await closed;
    expect(await toolCalls(1)).toMatchObject([{ outcome: 'abandoned' }]);
  });

  test('a client that reads nothing stops the server from writing', async () => {
    let written = 0;
    const stopped = new Promise<void>((resolve) => {
      routes.set('/endless', (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const chunk = Buffer.alloc(256 * 1024, 0x20);
        const fill = (): void => {
          while (written < 512 * 1024 * 1024) {
            written += chunk.length;
            if (!response.write(chunk)) break;
          }
        };
        response.on('drain', fill);
        response.on('close', resolve);
        fill();
      });
    });
    const sent = httpRequest(`${proxied}/endless`);
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = written === before;
          before = written;
          return isStill;
        },
        { interval: 250 },
      )
      .toBe(true);
    expect(written).toBeLessThan(64 * 1024 * 1024);
    response.destroy();
    await stopped;
  });

  test('a call whose stream broke is recorded with the answer of the stream that resumes it', async () => {
    routes.set('/resume', (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (request.method === 'POST') response.write('id: 1\ndata: \n\n', () => response.destroy());
      else response.end(`id: 2\ndata: ${request.headers['last-event-id'] === '1' ? ANSWER : ''}\n\n`);
    });
    const session = { 'mcp-session-id': 's-1' };
    await expect(post('/resume', session).then((response) => response.text())).rejects.toThrow();
    const resumed = await fetch(`${proxied}/resume`, { headers: { ...session, 'last-event-id': '1' } });
    expect(await resumed.text()).toContain(ANSWER);
    expect(await toolCalls(1)).toMatchObject([{ outcome: 'ok', sessionId: 's-1' }]);
  });

  test('50 clients that use the same id at once are 50 calls', async () => {
    routes.set('/fifty', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      setImmediate(() => response.end(ANSWER));
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post('/fifty').then((response) => response.text())),
    );
    expect(new Set(answers)).toEqual(new Set([ANSWER]));
    await toolCalls(50);
  });
});

describe('refusals', () => {
  test.each([401, 404, 429, 500])('a call that is refused with status %i has its code', async (status) => {
    routes.set('/refuse', (_request, response) => response.writeHead(status).end('no'));
    const response = await post('/refuse');
    expect([response.status, await response.text()]).toEqual([status, 'no']);
    expect(await toolCalls(1)).toMatchObject([{ outcome: 'protocol_error', errorCode: `HTTP_${status}` }]);
  });

  test('a server that does not answer is a 502 that says so', async () => {
    routes.set('/reset', (request) => request.socket.destroy());
    const response = await post('/reset');
    expect([response.status, await response.text()]).toEqual([
      502,
      `toolscope: the server at ${direct} did not answer (ECONNRESET)\n`,
    ]);
    expect(await toolCalls(1)).toMatchObject([{ outcome: 'protocol_error', errorCode: 'HTTP_502' }]);
  });

  test.each([
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost', 200],
    ['tools.example:8080', 200],
  ])('a request for the host %s is answered with %i', async (host, status) => {
    routes.set('/host', (_request, response) => response.end(ANSWER));
    const sent = httpRequest(`${proxied}/host`, { headers: { host } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(status);
  });

  test('a redirect to the server is one to the proxy', async () => {
    routes.set('/moved', (_request, response) =>
      response.writeHead(307, { location: `${direct}/mcp/` }).end(),
    );
    const response = await fetch(`${proxied}/moved`, { redirect: 'manual' });
    expect(response.headers.get('location')).toBe(`${proxied}/mcp/`);
  });
});
