// What observed servers deliver: one table of what can happen to a call, for every SDK, read off a real socket.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import { type ObserveOptions, observe } from '../../../src/index.ts';
import { runScript } from './fixtures/script.ts';
import type { Sdk } from './fixtures/sdk.ts';
import { lowLevel, SDKS, V1, V2 } from './fixtures/sdks.ts';
import { createFixture } from './fixtures/tools.ts';
import { openMemory } from './fixtures/wires.ts';
import { flushAll, type SpanReceiver, startSpanReceiver } from './span-receiver.ts';

let receiver: SpanReceiver;

beforeAll(async () => {
  receiver = await startSpanReceiver();
});

afterAll(async () => {
  await receiver.close();
});

async function observeScript(sdk: Sdk, options: ObserveOptions = {}): Promise<OtlpSpan[]> {
  const from = receiver.spans.length;
  const { server } = createFixture(sdk, (bare) => observe(bare, { endpoint: receiver.endpoint, ...options }));
  const wire = await openMemory(sdk, server);
  await runScript(wire);
  await wire.close();
  await flushAll();
  return receiver.spans.slice(from);
}

const summariseSpan = (span: OtlpSpan | undefined) =>
  [
    span?.attributes['toolscope.outcome'],
    span?.attributes['toolscope.error.code'],
    span?.attributes['toolscope.error.exception_type'],
    span?.attributes['toolscope.error.argument'],
  ].filter((part) => part !== undefined);

describe.each(SDKS)('calls on SDK $name', (sdk) => {
  let spans: OtlpSpan[];
  const ofTool = (name: string) => spans.filter((span) => span.name === `tools/call ${name}`);

  beforeAll(async () => {
    // A catalogue is sent once per name, and some of these list the same one.
    spans = await observeScript(sdk, { name: `fixture ${sdk.name}` });
  });

  // 1.20 answers refusals as JSON-RPC errors, has no private methods to listen to, and so no exceptions.
  const seesInside = sdk.name !== '1.20.2';
  const thrown = (type: string, code: string) =>
    seesInside ? ['exception', code, type] : ['tool_error', 'tool_error'];

  // Before 1.26 nothing at all is what zod refuses, and nothing has no path.
  const withoutArguments = ['invalid_arguments', '-32602', ...(/^1\.2/.test(sdk.name) ? [] : ['a'])];

  const table: [tool: string, nth: number, expected: readonly string[], because: string][] = [
    ['tell', 0, ['ok'], 'it answered'],
    ['add', 0, ['ok'], 'it answered'],
    ['add', 1, ['invalid_arguments', '-32602', 'a'], 'its schema refused an argument'],
    ['add', 2, withoutArguments, 'it was called without arguments'],
    ['with-context', 0, ['ok'], 'an argument may be called context'],
    ['throws', 0, thrown('RangeError', 'E_RANGE'), 'it threw, with a code'],
    ['throws-synchronously', 0, thrown('TypeError', 'TypeError'), 'it threw before it returned a promise'],
    ['says-error', 0, ['tool_error', 'NOT_HERE'], 'it said so itself'],
    ['bad-output', 0, ['invalid_output', '-32602'], 'its output broke its own schema'],
    ['off', 0, ['unknown_tool', '-32602'], 'it is switched off'],
    ['nope', 0, ['unknown_tool', '-32602'], 'there is no such tool'],
    ['never', 0, ['cancelled'], 'the client cancelled'],
  ];

  test.each(table)('a call of %s (call %i) is recorded as %j because %s', (tool, nth, expected) => {
    expect(summariseSpan(ofTool(tool)[nth])).toEqual(expected);
  });

  test('a request that the server sends during a call is a child of the call', () => {
    const sampling = spans.find((span) => span.name === 'sampling/createMessage');
    expect(sampling).toMatchObject({ kind: 'client', parentSpanId: ofTool('asks')[0]?.spanId });
    expect(sampling?.traceId).toBe(ofTool('asks')[0]?.traceId);
  });

  test('a call is part of the trace that its client named', () => {
    expect(ofTool('tell')[0]).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) });
  });

  test('the catalogue is sent with the first listing, and calls carry its hash', () => {
    const list = spans.find((span) => span.name === 'tools/list');
    const hash = list?.attributes['toolscope.catalogue.hash'];
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
    const listed: { name: string }[] = JSON.parse(String(list?.attributes['toolscope.catalogue.tools']));
    expect(listed.map(({ name }) => name)).toContain('with-context');
    expect(ofTool('nope')[0]?.attributes['toolscope.catalogue.hash']).toBe(hash);
  });

  test('calls record client, server and protocol version in one session', () => {
    const about = spans
      .filter((span) => span.kind === 'server')
      .map(({ attributes }) => [
        attributes['mcp.client.name'],
        attributes['mcp.server.name'],
        attributes['mcp.protocol.version'],
        attributes['toolscope.session.source'],
        attributes['toolscope.session.id'],
      ]);
    expect(new Set(about.map(String)).size).toBe(1);
    expect(about[0]?.slice(0, 4)).toEqual(['script', `fixture ${sdk.name}`, '2025-06-18', 'connection']);
  });

  // Requirement: privacy.default
  test('no argument, result, message or URI leaves the process', () => {
    const text = JSON.stringify(spans);
    for (const secret of ['zanzibar', 'quokka', 'xylophone', 'ocarina', 'note://a']) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('observe options', () => {
  test('the host sets name, environment, session, plan and principal', async () => {
    const spans = await observeScript(V1, {
      name: 'renamed',
      environment: 'staging',
      sessionId: ({ method }) => `run of ${method.split('/')[0]}`,
      planId: () => 'plan-9',
      principal: () => 'ada@example.org',
    });
    const { attributes, resource } = spans.find((span) => span.name === 'tools/call add') ?? {};
    expect(attributes).toMatchObject({
      'mcp.server.name': 'renamed',
      'toolscope.session.id': 'run of tools',
      'toolscope.session.source': 'host',
      'toolscope.plan.id': 'plan-9',
      'toolscope.principal': expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(resource).toMatchObject({ 'deployment.environment.name': 'staging' });
    expect(JSON.stringify(spans)).not.toContain('ada@example.org');
  });

  test('an option function that throws yields an unknown value and does not affect the call', async () => {
    const fail = () => {
      throw new Error('mine');
    };
    const spans = await observeScript(V2, { sessionId: fail, planId: fail, principal: fail });
    expect(spans.find((span) => span.name === 'tools/call add')?.attributes).toMatchObject({
      'toolscope.session.source': 'connection',
    });
  });

  // Requirement: privacy.before-send
  test('beforeSend can change or drop a call last of all', async () => {
    const spans = await observeScript(V1, {
      name: 'sifted',
      beforeSend: ({ call }) => (call.toolName === 'add' ? undefined : { call: { ...call, planId: 'seen' } }),
    });
    const names = spans.map(({ name }) => name);
    expect(names).not.toContain('tools/call add');
    expect(spans.find(({ name }) => name === 'tools/call tell')?.attributes['toolscope.plan.id']).toBe(
      'seen',
    );
    expect(
      spans.find(({ name }) => name === 'tools/list')?.attributes['toolscope.catalogue.tools'],
    ).toBeDefined();
  });

  test('no call is sent if beforeSend throws', async () => {
    const spans = await observeScript(V1, {
      beforeSend: () => {
        throw new Error('cannot scrub');
      },
    });
    expect(spans.filter(({ attributes }) => attributes['mcp.method.name'])).toEqual([]);
  });

  test('values are sent only in full capture mode', async () => {
    const spans = await observeScript(V1, { capture: 'full' });
    expect(
      spans.find(({ name }) => name === 'tools/call with-context')?.attributes['gen_ai.tool.call.arguments'],
    ).toBe('{"context":"xylophone","extra":7}');
  });
});

describe('low-level Server', () => {
  test('a low-level server of SDK v1 is observed, and its catalogue is unknown until it is listed', async () => {
    const { Server132, types132 } = lowLevel;
    const server = observe(new Server132({ name: 'low', version: '1' }, { capabilities: { tools: {} } }), {
      endpoint: receiver.endpoint,
    });
    server.setRequestHandler(types132.CallToolRequestSchema, async () => ({ content: [] }));
    const spans = await callOnce(V1, server);
    expect(spans.find(({ name }) => name === 'toolscope.server.start')?.attributes).toEqual({
      'mcp.server.name': 'low',
      'mcp.server.version': '1',
    });
    expect(summariseSpan(spans.find(({ name }) => name === 'tools/call x'))).toEqual(['ok']);
  });

  test('a low-level server of SDK v2 is observed', async () => {
    const server = observe(
      new lowLevel.ServerV2({ name: 'low2', version: '1' }, { capabilities: { tools: {} } }),
      {
        endpoint: receiver.endpoint,
      },
    );
    server.setRequestHandler('tools/call', async () => ({ content: [] }));
    expect(summariseSpan((await callOnce(V2, server)).find(({ name }) => name === 'tools/call x'))).toEqual([
      'ok',
    ]);
  });

  async function callOnce(sdk: Sdk, server: unknown): Promise<OtlpSpan[]> {
    const from = receiver.spans.length;
    const wire = await openMemory(sdk, server);
    wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: {} } });
    await new Promise((resolve) => setImmediate(resolve));
    await wire.close();
    await flushAll();
    return receiver.spans.slice(from);
  }
});

describe('start of a server', () => {
  test('the catalogue of an McpServer is reported even if it was observed before its first tool', async () => {
    const spans = await observeScript(V1, { name: 'announced' });
    const start = spans.find(({ name }) => name === 'toolscope.server.start');
    const list = spans.find(({ name }) => name === 'tools/list');
    expect(start?.attributes['toolscope.catalogue.hash']).toBe(list?.attributes['toolscope.catalogue.hash']);
  });

  test('the host’s own tools/list handler is never called', async () => {
    const { types132 } = lowLevel;
    const { server } = createFixture(V1, (bare) =>
      observe(bare, { endpoint: receiver.endpoint, name: 'own-list' }),
    );
    let asked = 0;
    server.server.setRequestHandler(types132.ListToolsRequestSchema, () => {
      asked += 1;
      return { tools: [] };
    });
    const wire = await openMemory(V1, server);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await wire.close();
    await flushAll();
    const start = receiver.spans.find(
      ({ name, attributes }) =>
        name === 'toolscope.server.start' && attributes['mcp.server.name'] === 'own-list',
    );
    expect(asked).toBe(0);
    expect(start?.attributes['toolscope.catalogue.hash']).toBeUndefined();
  });
});
