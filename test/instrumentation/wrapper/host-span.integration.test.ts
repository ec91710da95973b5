// The two deliveries: the host's own spans through its own provider, ours to our service, and never the other's.
import { context, trace } from '@opentelemetry/api';
import { node, resources, tracing } from '@opentelemetry/sdk-node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { toProcessId } from '../../../src/core/dialects/semconv-dialect.ts';
import { ATTR_PROCESS_ID } from '../../../src/core/semconv/toolscope-attributes.ts';
import type { Sdk } from './fixtures/sdk.ts';
import { SDKS, V1 } from './fixtures/sdks.ts';
import { createProvider, createTracedServer } from './fixtures/traced.ts';
import { type OpenWire, openChild, openHttp, openMemory, serveHttp } from './fixtures/wires.ts';
import { flushAll, type SpanReceiver, startSpanReceiver, until } from './span-receiver.ts';

let receiver: SpanReceiver;

beforeAll(async () => {
  receiver = await startSpanReceiver();
});

afterEach(() => {
  trace.disable();
  context.disable();
});

afterAll(async () => {
  await receiver.close();
});

const CLIENT_TRACE = 'c'.repeat(32);
const CLIENT_SPAN = 'd'.repeat(16);

async function call(wire: OpenWire, meta?: object): Promise<{ traceId: string; parent: string }> {
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  wire.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
  await until(() => wire.inbox.some(({ id }) => id === 1));
  const params = { name: 'work', arguments: { n: 1 }, ...(meta && { _meta: meta }) };
  wire.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
  const answer = await until(() => wire.inbox.find(({ id }) => id === 2));
  // The shape of the one result this server gives.
  const { content } = answer['result'] as { content: [{ text: string }] };
  return JSON.parse(content[0].text);
}

/** The call as our service got it. */
async function delivered() {
  await flushAll();
  const span = await until(() => receiver.calls('tools/call').at(-1));
  receiver.spans.length = 0;
  return span;
}

describe.each(SDKS)('spans of a host on SDK $name', (sdk: Sdk) => {
  const options = () => ({ endpoint: receiver.endpoint });

  test.each<[Promise<string> | undefined, string]>([
    [undefined, 'every span has its resource'],
    [new Promise<string>(() => {}), 'what is still being detected is not waited for, nor asked for'],
  ])(
    'a call has the resource of the host process, as the provider’s other spans do (%s: %s)',
    async (hostId, _because) => {
      const server = createTracedServer(sdk, options());
      const wire = await openMemory(sdk, server);
      const told = { 'service.name': 'shop', 'host.name': 'h', 'process.pid': 7 };
      const resource = resources.resourceFromAttributes({ 'host.id': hostId, ...told });
      new node.NodeTracerProvider({ resource }).register();
      await call(wire);
      const { attributes } = await delivered();
      expect(attributes[ATTR_PROCESS_ID]).toBe(toProcessId(told));
      await wire.close();
    },
  );

  test('a span opened inside a tool is a child of the call, in memory, with a provider registered after observe', async () => {
    const server = createTracedServer(sdk, options());
    const wire = await openMemory(sdk, server);
    const { provider, exporter } = createProvider();
    provider.register();
    const inner = await call(wire);
    const ours = await delivered();
    expect(inner).toEqual({ traceId: ours.traceId, parent: ours.spanId });
    const spans = exporter.getFinishedSpans();
    expect(spans.map((span) => span.name).sort()).toEqual(['initialize', 'inner', 'tools/call work']);
    expect(spans.find(({ name }) => name === 'tools/call work')?.spanContext().spanId).toBe(ours.spanId);
    await wire.close();
  });

  test('a span opened inside a tool is a child of the call over HTTP, and the ambient span is a link', async () => {
    const { provider, exporter } = createProvider();
    provider.register();
    const host = await serveHttp(sdk, 'stateful', () => createTracedServer(sdk, options()));
    const wire = openHttp(host.url);
    const inner = await call(wire, { traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01` });
    const ours = await delivered();
    expect(inner).toEqual({ traceId: CLIENT_TRACE, parent: ours.spanId });
    expect(ours.parentSpanId).toBe(CLIENT_SPAN);
    const span = exporter.getFinishedSpans().find(({ name }) => name === 'tools/call work');
    expect(span).toMatchObject({
      kind: 1,
      attributes: { 'mcp.method.name': 'tools/call', 'toolscope.outcome': 'ok' },
    });
    await wire.close();
    await host.close();
  });

  test('a span opened inside a tool is a child of the call over a pipe', async () => {
    const wire = openChild('./traced.ts', [sdk.name, 'host'], { TOOLSCOPE_ENDPOINT: receiver.endpoint });
    const inner = await call(wire);
    const ours = await delivered();
    expect(inner).toEqual({ traceId: ours.traceId, parent: ours.spanId });
    await wire.close();
  });
});

describe('tracing of a host', () => {
  async function run(
    sampler?: tracing.Sampler,
    around: (run: () => Promise<unknown>) => Promise<unknown> = (run) => run(),
  ) {
    const { provider, exporter } = createProvider(sampler);
    provider.register();
    const wire = await openMemory(V1, createTracedServer(V1, { endpoint: receiver.endpoint }));
    await around(() => call(wire, { traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01` }));
    await flushAll();
    const names = receiver.spans.map(({ name }) => name);
    await wire.close();
    return { exporter, names, ours: await delivered() };
  }

  // Requirement: host.no-globals
  test('a host that samples no spans still has every call recorded, and gets none of our spans', async () => {
    const { exporter, names, ours } = await run(new tracing.AlwaysOffSampler());
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(names.filter((name) => name !== 'toolscope.server.start')).toEqual([
      'initialize',
      'tools/call work',
    ]);
    expect(ours.traceId).toBe(CLIENT_TRACE);
  });

  test('a host that exports elsewhere keeps its own spans', async () => {
    const { exporter, names } = await run();
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toContain('inner');
    expect(names).not.toContain('inner');
  });

  test('a host span around the request is linked to the call and is not its parent', async () => {
    const { provider, exporter } = createProvider();
    provider.register();
    const ambient = trace.getTracer('host').startSpan('POST /mcp');
    const wire = await openMemory(V1, createTracedServer(V1, { endpoint: receiver.endpoint }));
    await context.with(trace.setSpan(context.active(), ambient), () =>
      call(wire, { traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01` }),
    );
    await flushAll();
    const span = exporter.getFinishedSpans().find(({ name }) => name === 'tools/call work');
    expect(span?.parentSpanContext?.spanId).toBe(CLIENT_SPAN);
    expect(span?.links.map((link) => link.context.spanId)).toEqual([ambient.spanContext().spanId]);
    await wire.close();
  });

  // Requirement: host.no-globals
  test('a host without tracing gets no spans from us', async () => {
    const wire = await openMemory(V1, createTracedServer(V1, { endpoint: receiver.endpoint }));
    const inner = await call(wire);
    expect(inner.parent).toBeUndefined();
    expect(trace.getTracerProvider().getTracer('x').startSpan('y').isRecording()).toBe(false);
    await delivered();
    await wire.close();
  });

  test('the provider that the host passes in creates the spans', async () => {
    const { provider, exporter } = createProvider();
    const server = createTracedServer(V1, { endpoint: receiver.endpoint, tracerProvider: provider });
    const wire = await openMemory(V1, server);
    await call(wire);
    const ours = await delivered();
    expect(
      exporter
        .getFinishedSpans()
        .find(({ name }) => name === 'tools/call work')
        ?.spanContext(),
    ).toMatchObject({
      traceId: ours.traceId,
      spanId: ours.spanId,
    });
    await wire.close();
  });

  test('a provider that throws does not break the server', async () => {
    const tracerProvider = {
      getTracer() {
        throw new Error('not today');
      },
    };
    const wire = await openMemory(
      V1,
      createTracedServer(V1, { endpoint: receiver.endpoint, tracerProvider }),
    );
    await call(wire);
    expect((await delivered()).spanId).toMatch(/^[0-9a-f]{16}$/);
    await wire.close();
  });

  test('a span processor that throws does not stop the delivery of calls', async () => {
    const { provider } = createProvider();
    const failing = {
      getTracer: (name: string) => {
        const tracer = provider.getTracer(name);
        return {
          startSpan: (...parameters: Parameters<typeof tracer.startSpan>) => {
            const span = tracer.startSpan(...parameters);
            span.end = () => {
              throw new Error('not today');
            };
            return span;
          },
        };
      },
    };
    const wire = await openMemory(
      V1,
      createTracedServer(V1, { endpoint: receiver.endpoint, tracerProvider: failing }),
    );
    await call(wire);
    expect((await delivered()).name).toBe('tools/call work');
    await wire.close();
  });

  test('a call that beforeSend drops leaves no details on its host span either', async () => {
    const { provider: tracerProvider, exporter } = createProvider();
    const endpoint = receiver.endpoint;
    const server = createTracedServer(V1, { endpoint, tracerProvider, beforeSend: () => undefined });
    const wire = await openMemory(V1, server);
    await call(wire);
    await flushAll();
    const span = exporter.getFinishedSpans().find(({ name }) => name === 'tools/call work');
    expect(Object.keys(span?.attributes ?? {})).toEqual(['mcp.method.name', 'gen_ai.tool.name']);
    expect(receiver.calls('tools/call')).toEqual([]);
    await wire.close();
  });

  test('a host that imports toolscope/otel gets the spans of tools as children of their calls, in the service', async () => {
    const wire = openChild('./traced.ts', ['1.32.2', 'otel'], { TOOLSCOPE_ENDPOINT: receiver.endpoint });
    const inner = await call(wire);
    wire.child.stdin?.end();
    const child = await until(() => receiver.spans.find(({ name }) => name === 'inner'));
    // Two ways out of one process: their order is not guaranteed.
    const calls = await until(() => receiver.calls('tools/call').length > 0 && receiver.calls('tools/call'));
    expect(child).toMatchObject({ traceId: inner.traceId, parentSpanId: inner.parent });
    expect(new Set(calls.map(({ spanId }) => spanId))).toEqual(new Set([inner.parent]));
    expect(wire.strange).toEqual([]);
    await wire.close();
  });

  test('a host that imports toolscope/otel does not send another vendor’s key to the service', async () => {
    const wire = openChild('./traced.ts', ['1.32.2', 'otel'], {
      TOOLSCOPE_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-vendor-key=of-the-vendor',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Basic%20of-the-vendor',
    });
    await call(wire);
    wire.child.stdin?.end();
    await until(() => receiver.spans.some(({ name }) => name === 'inner'));
    expect(receiver.headers.length).toBeGreaterThan(0);
    expect(JSON.stringify(receiver.headers)).not.toContain('of-the-vendor');
    await wire.close();
  });
});
