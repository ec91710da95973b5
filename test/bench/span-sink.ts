// A receiver on loopback that takes everything at once and remembers which calls came: a cheap wrapper that loses calls is
// not cheap. It lives in the process of the bench, so what it costs is nobody's figure.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { decodeTracesJson } from '../../src/core/otlp/decode-json.ts';
import { decodeTracesProtobuf } from '../../src/core/otlp/decode-protobuf.ts';
import { encodeResponse } from '../../src/core/otlp/encode-response.ts';
import { ATTR_METHOD_NAME, ATTR_REQUEST_ID, METHOD_TOOLS_CALL } from '../../src/core/semconv/conventions.ts';

export interface SpanSink {
  /** What to put into `TOOLSCOPE_ENDPOINT`. */
  readonly endpoint: string;
  /** Of the requests after this id, how many tool calls came; one that came twice counts once. */
  arrivedAfter(requestId: number): number;
  /** Waits for so many tool calls, but no longer than nothing new comes for five seconds. */
  waitFor(calls: number): Promise<void>;
  close(): void;
}

const GIVE_UP_MS = 5_000;

/** Listens on a free port. */
export async function openSpanSink(): Promise<SpanSink> {
  const arrived = new Set<number>();
  const server = createServer((request, response) => void receive(request, response, arrived));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    arrivedAfter: (requestId) => [...arrived].filter((id) => id > requestId).length,
    waitFor: (calls) => waitForCount(() => arrived.size, calls),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  arrived: Set<number>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole;
  const encoding = request.headers['content-type'] === 'application/json' ? 'json' : 'protobuf';
  for (const id of readCallIds(body, encoding)) arrived.add(id);
  response.setHeader('content-type', request.headers['content-type'] ?? 'application/json');
  response.end(encodeResponse(encoding));
}

function readCallIds(body: Uint8Array, encoding: 'json' | 'protobuf'): number[] {
  const decoded = encoding === 'json' ? decodeTracesJson(body) : decodeTracesProtobuf(body);
  if (decoded.status !== 'decoded')
    throw new Error(`The wrapper sent what nobody can read: ${decoded.reason}`);
  return decoded.spans
    .filter(({ attributes }) => attributes[ATTR_METHOD_NAME] === METHOD_TOOLS_CALL)
    .map(({ attributes }) => Number(attributes[ATTR_REQUEST_ID]));
}

async function waitForCount(count: () => number, expected: number): Promise<void> {
  let last = count();
  let changedMs = performance.now();
  while (count() < expected && performance.now() - changedMs < GIVE_UP_MS) {
    await pause(20);
    if (count() !== last) changedMs = performance.now();
    last = count();
  }
}
