// `observeHandler` around fetch-style handlers of both SDKs: refusals are reported, and nothing twice.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { observe, observeHandler } from '../../../src/index.ts';
import { V1, V2 } from './fixtures/sdks.ts';
import { createFixture } from './fixtures/tools.ts';
import { flushAll, type SpanReceiver, startSpanReceiver } from './span-receiver.ts';

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

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'add', arguments: { a: 1 } } };

function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
}

type Handler = (request: Request) => Response | Promise<Response>;

const observed = (handler: Handler): Handler => observeHandler(handler, { endpoint: receiver.endpoint });

/** The calls of tools, once there are so many: the bodies of a refusal are read after its response. */
async function reported(count: number) {
  await expect
    .poll(async () => {
      await flushAll();
      return receiver.calls('tools/call').length;
    })
    .toBe(count);
  return receiver.calls('tools/call').map(({ attributes }) => ({
    outcome: attributes['toolscope.outcome'],
    code: attributes['toolscope.error.code'],
    tool: attributes['gen_ai.tool.name'],
    session: attributes['mcp.session.id'],
  }));
}

async function serveV1(): Promise<Handler> {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 's-1' });
  const { server } = createFixture(V1, (bare) =>
    observe(bare, { endpoint: receiver.endpoint, name: 'refusals' }),
  );
  await server.connect(transport);
  return (request) => transport.handleRequest(request);
}

const serveV2 = (): Handler => {
  const handler = createMcpHandler(
    () =>
      createFixture(V2, (bare) => observe(bare, { endpoint: receiver.endpoint, name: 'refusals' })).server,
  );
  return (request) => handler.fetch(request);
};

test('a call with an unknown session is refused by SDK v1, and reported with the status', async () => {
  const handler = observed(await serveV1());
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  await handler(post({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }));
  const refused = await handler(post(CALL, { 'mcp-session-id': 'gone' }));
  expect([refused.status, await refused.json()]).toMatchObject([
    404,
    { error: { message: 'Session not found' } },
  ]);
  expect(await reported(1)).toEqual([
    { outcome: 'protocol_error', code: 'HTTP_404', tool: 'add', session: 'gone' },
  ]);
  expect(receiver.calls('tools/call')[0]?.attributes['mcp.server.name']).toBe('refusals');
});

test('a call that the entry of SDK v2 refuses is reported with its answer', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '1999-01-01',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { ...CALL.params, _meta: meta };
  const handler = observed(serveV2());
  const refused = await handler(
    post(
      { ...CALL, params },
      { 'mcp-protocol-version': '1999-01-01', 'mcp-method': 'tools/call', 'mcp-name': 'add' },
    ),
  );
  expect(refused.status).toBe(400);
  expect(await reported(1)).toMatchObject([{ outcome: 'protocol_error', code: '-32022', tool: 'add' }]);
});

test('a call that a server receives is reported once, however it ends', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
  const handler = observed(serveV2());
  for (const name of ['add', 'no_such_tool']) {
    const params = { ...CALL.params, name, _meta: meta };
    await (await handler(post({ ...CALL, params }, { ...headers, 'mcp-name': name }))).text();
  }
  expect(await reported(2)).toMatchObject([{ outcome: 'ok' }, { outcome: 'unknown_tool' }]);
});

test.each<[string, Handler, object[]]>([
  ['401', () => new Response('no', { status: 401 }), [{ outcome: 'protocol_error', code: 'HTTP_401' }]],
  ['429, later', async () => new Response(null, { status: 429 }), [{ code: 'HTTP_429' }]],
  ['an answer', () => Response.json({ jsonrpc: '2.0', id: 7, result: { content: [] } }), []],
])('a handler that answers %s passes its response on', async (_what, handler, expected) => {
  const plain = handler(post(CALL));
  const answer = observed(handler)(post(CALL));
  expect(answer instanceof Promise).toBe(plain instanceof Promise);
  expect([(await answer).status, await (await answer).text()]).toEqual([
    (await plain).status,
    await (await plain).text(),
  ]);
  expect(await reported(expected.length)).toMatchObject(expected);
});

test('a handler gets its request unread, and its further parameters', async () => {
  const seen: unknown[] = [];
  const handler = observeHandler(
    async (request: Request, environment: string) => {
      seen.push(await request.json(), environment);
      return new Response(null, { status: 500 });
    },
    { endpoint: receiver.endpoint },
  );
  await handler(post(CALL), 'worker');
  expect(seen).toEqual([CALL, 'worker']);
  expect(await reported(1)).toMatchObject([{ code: 'HTTP_500' }]);
});

test('an exception of a handler passes, and its call is reported', async () => {
  const handler = observed(() => {
    throw new Error('boom');
  });
  expect(() => handler(post(CALL))).toThrow('boom');
  expect(await reported(1)).toMatchObject([{ code: 'HTTP_500' }]);
});

test('a body that is no JSON-RPC request is not reported', async () => {
  const handler = observed(() => new Response(null, { status: 400 }));
  for (const body of ['{', '[]', '{"grant_type":"x"}']) expect((await handler(post(body))).status).toBe(400);
  expect((await handler(new Request('http://localhost/'))).status).toBe(400);
  expect(await reported(0)).toEqual([]);
});
