// Whose session a call belongs to, over real transports: strangers are never merged, and one run is never split.

import { PassThrough } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { StdioServerTransport as StdioV2, serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { observe } from '../../../src/index.ts';
import type { Sdk } from './fixtures/sdk.ts';
import { SDKS, V1, V2 } from './fixtures/sdks.ts';
import { createFixture } from './fixtures/tools.ts';
import { openHttp, serveHttp } from './fixtures/wires.ts';
import { flushAll, type SpanReceiver, startSpanReceiver, until } from './span-receiver.ts';

let receiver: SpanReceiver;

beforeAll(async () => {
  receiver = await startSpanReceiver();
});

beforeEach(() => {
  receiver.spans.length = 0;
});

afterAll(async () => {
  await receiver.close();
});

function createServer(sdk: Sdk, name = 'sessions') {
  return createFixture(sdk, (bare) => observe(bare, { endpoint: receiver.endpoint, name })).server;
}

/** Sources and ids of the sessions that calls of `tools/call` came out as. */
async function sessions() {
  await flushAll();
  const pairs = receiver.calls('tools/call').map(({ attributes }) => ({
    source: attributes['toolscope.session.source'],
    id: attributes['toolscope.session.id'] ?? '',
  }));
  return {
    calls: pairs.length,
    sources: new Set(pairs.map(({ source }) => source)),
    ids: new Set(pairs.map(({ id }) => id)),
  };
}

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
const CALL = { name: 'add', arguments: { a: 1 } };

test.each(SDKS)(
  '20 concurrent clients of a stateful HTTP server on SDK $name are 20 sessions',
  async (sdk) => {
    const host = await serveHttp(sdk, 'stateful', () => createServer(sdk));
    const clients = Array.from({ length: 20 }, () => openHttp(host.url));
    await Promise.all(
      clients.map(async (client) => {
        client.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: HELLO });
        await until(() => client.inbox.length === 1);
        for (let id = 1; id <= 3; id += 1)
          client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: CALL });
        await until(() => client.inbox.length === 4);
      }),
    );
    const seen = await sessions();
    expect([seen.calls, seen.ids.size, [...seen.sources]]).toEqual([60, 20, ['transport']]);
    expect(seen.ids).toEqual(new Set(clients.map((client) => client.sessionId())));
    await Promise.all(clients.map((client) => client.close()));
    await host.close();
  },
);

describe('stateless 2026-07-28 server', () => {
  const handler = createMcpHandler(() => createServer(V2, 'modern'));

  async function ask(meta: object, name = 'add'): Promise<Response> {
    const params = {
      ...CALL,
      name,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'zed', version: '7' },
        ...meta,
      },
    };
    return handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        },
      }),
    );
  }

  const trace = (n: number) => ({ traceparent: `00-${String(n).padStart(32, 'a')}-${'b'.repeat(16)}-01` });

  test('calls to a stateless server have one session per trace', async () => {
    for (const n of [1, 2, 3, 1, 2, 1]) expect((await ask(trace(n))).status).toBe(200);
    const seen = await sessions();
    expect([seen.calls, seen.ids.size, [...seen.sources]]).toEqual([6, 3, ['trace']]);
    expect(receiver.calls()[0]?.attributes).toMatchObject({
      'mcp.client.name': 'zed',
      'mcp.protocol.version': '2026-07-28',
      'toolscope.transport': 'http',
    });
  });

  test('calls to a stateless server without any identifier have no session rather than a shared one', async () => {
    for (let n = 0; n < 5; n += 1) await ask({});
    const seen = await sessions();
    expect([seen.calls, [...seen.ids], [...seen.sources]]).toEqual([5, [''], ['none']]);
  });

  test('calls to a stateless server have the session that the client names in _meta', async () => {
    await ask({ ...trace(1), conversationId: 'chat-7' });
    expect([...(await sessions()).ids]).toEqual(['chat-7']);
  });

  test('HTTP statuses of a stateless server are unchanged: an unknown method is a 404', async () => {
    expect((await ask({}, 'nope')).status).toBe(200);
    const bad = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'no/such',
          params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'no/such',
        },
      }),
    );
    expect(bad.status).toBe(404);
    await flushAll();
    expect(receiver.calls('no/such')[0]?.attributes).toMatchObject({ 'toolscope.error.code': '-32601' });
  });

  test('a call is recorded as cancelled when its client disconnects while it runs', async () => {
    const abort = new AbortController();
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      signal: abort.signal,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'never',
          arguments: {},
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'never',
      },
    });
    const answer = Promise.resolve(handler.fetch(request)).catch(() => 'gone');
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    await answer;
    await flushAll();
    expect(receiver.calls('tools/call').map(({ attributes }) => attributes['toolscope.outcome'])).toEqual([
      'cancelled',
    ]);
  });

  test('a stateless server that gets 1,000 requests reports its start once', async () => {
    const thousand = createMcpHandler(() => createServer(V2, 'thousand'));
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        ...CALL,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'add',
    };
    for (let n = 0; n < 1_000; n += 1) {
      const answer = await thousand.fetch(
        new Request('http://localhost/mcp', { method: 'POST', body, headers }),
      );
      await answer.text();
    }
    await flushAll();
    const starts = receiver.spans.filter(({ name }) => name === 'toolscope.server.start');
    expect([receiver.calls('tools/call').length, starts.length]).toEqual([1_000, 1]);
    expect(starts[0]?.attributes['toolscope.catalogue.tools']).toContain('with-context');
  });
});

describe('server on a pipe', () => {
  function openPipe() {
    const [toServer, toClient] = [new PassThrough(), new PassThrough()];
    let answers = 0;
    toClient.on('data', (chunk) => {
      answers += String(chunk).split('\n').length - 1;
    });
    return {
      toServer,
      toClient,
      async ask(id: number, method: string, params: object) {
        const before = answers;
        toServer.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
        await until(() => answers > before);
      },
    };
  }

  test('a pipe is one session, though its client opens a trace for each call', async () => {
    const pipe = openPipe();
    const server = createServer(V1);
    await server.connect(new StdioServerTransport(pipe.toServer, pipe.toClient));
    await pipe.ask(0, 'initialize', HELLO);
    for (let id = 1; id <= 4; id += 1) {
      const traceparent = `00-${String(id).padStart(32, 'f')}-${'b'.repeat(16)}-01`;
      await pipe.ask(id, 'tools/call', { ...CALL, _meta: { traceparent } });
    }
    await server.close();
    const seen = await sessions();
    expect([seen.calls, seen.ids.size, [...seen.sources]]).toEqual([4, 1, ['connection']]);
  });

  test('a pipe is one session, though serveStdio first probes with a server of its own', async () => {
    const pipe = openPipe();
    const transport = new StdioV2(pipe.toServer, pipe.toClient);
    const handle = serveStdio(() => createServer(V2), { transport });
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    await pipe.ask(1, 'server/discover', { _meta: envelope });
    await pipe.ask(2, 'initialize', HELLO);
    await pipe.ask(3, 'tools/call', CALL);
    await handle.close();
    await flushAll();
    const about = receiver
      .calls()
      .map(({ attributes }) => [attributes['mcp.method.name'], attributes['toolscope.session.id']]);
    expect(about.map(([method]) => method)).toEqual(['server/discover', 'initialize', 'tools/call']);
    expect(new Set(about.map(([, id]) => id)).size).toBe(1);
  });
});
