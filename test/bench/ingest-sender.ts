// The sending side of the ingest bench, in a process of its own: makes all bodies first, then sends them over a few
// keep-alive connections as fast as they are acknowledged.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { toSpan } from '../../src/core/dialects/toolscope-span.ts';
import { encodeTracesJson } from '../../src/core/otlp/encode-json.ts';
import { toolCall, toProtobuf } from '../service/ingest/otlp-document.ts';
import type { SenderOrder } from './ingest.ts';
import { createObservedCall, hex } from './observed-call.ts';

// Only the bench starts this.
const order = JSON.parse(process.argv[2] ?? '') as SenderOrder;
const { url, first: firstNumber, spans, spansPerRequest, connections, form } = order;

function encodeBody(first: number): Buffer {
  const length = Math.min(spansPerRequest, firstNumber + spans - first);
  const numbers = Array.from({ length }, (_, i) => first + i);
  if (form === 'conventions-protobuf')
    return toProtobuf(
      numbers.map((n) =>
        toolCall(n, Date.now(), {
          traceId: hex(n, 32),
          attributes: {
            'mcp.method.name': 'tools/call',
            'gen_ai.tool.name': 'search_notes',
            'mcp.session.id': `0d6c3a52-8f5e-4a0e-9b43-${hex(n >> 6, 12)}`,
            'jsonrpc.request.id': String(n),
            'network.transport': 'tcp',
            'mcp.protocol.version': '2025-11-25',
          },
        }),
      ),
    );
  const json = Buffer.from(encodeTracesJson(numbers.map((n) => toSpan({ call: createObservedCall(n) }))));
  return form === 'toolscope-json-gzip' ? gzipSync(json) : json;
}

const bodies = Array.from({ length: Math.ceil(spans / spansPerRequest) }, (_, i) =>
  encodeBody(firstNumber + i * spansPerRequest),
);
const headers = {
  'content-type': form === 'conventions-protobuf' ? 'application/x-protobuf' : 'application/json',
  ...(form === 'toolscope-json-gzip' && { 'content-encoding': 'gzip' }),
};
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const latencies: number[] = [];

let refused = 0;

/** A refused request is sent again after a moment, as an exporter would; the wait counts against the service. */
async function deliver(body: Buffer): Promise<void> {
  for (;;) {
    const status = await send(body);
    if (status === 200) return;
    if (status !== 429) throw new Error(`status ${status}`);
    refused += 1;
    await pause(100);
  }
}

function send(body: Buffer): Promise<number | undefined> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        latencies.push(performance.now() - begun);
        resolve(response.statusCode);
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

let next = 0;
async function sendBodies(): Promise<void> {
  for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await deliver(body);
}

const startedAt = performance.timeOrigin + performance.now();
const begun = performance.now();
await Promise.all(Array.from({ length: connections }, sendBodies));
const seconds = (performance.now() - begun) / 1000;
agent.destroy();
latencies.sort((a, b) => a - b);
process.send?.({
  startedAt,
  refused,
  acknowledgedPerSecond: spans / seconds,
  bytesPerSpan: bodies.reduce((sum, body) => sum + body.length, 0) / spans,
  p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
});
