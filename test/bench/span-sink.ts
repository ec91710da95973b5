// A receiver on loopback that takes everything at once and remembers which calls came: a cheap wrapper that loses calls is
// not cheap. It lives in the process of the bench, so what it costs is nobody's figure.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { decodeTracesJson } from '../../src/core/otlp/decode-json.ts';
import { decodeTracesProtobuf } from '../../src/core/otlp/decode-protobuf.ts';
import { encodeResponse } from '../../src/core/otlp/encode-response.ts';
import type { OtlpSpan } from '../../src/core/otlp/span.ts';
import { ATTR_METHOD_NAME, ATTR_REQUEST_ID, METHOD_TOOLS_CALL } from '../../src/core/semconv/conventions.ts';
import { ATTR_DROPPED_CALLS } from '../../src/core/semconv/toolscope-attributes.ts';

export interface SpanSink {
  /** What to put into `TOOLSCOPE_ENDPOINT`. */
  readonly endpoint: string;
  /** Tool calls that came so far; one that came twice counts once. */
  readonly arrived: number;
  /** Of the requests after this id, how many tool calls came; one that came twice counts once. */
  arrivedAfter(requestId: number): number;
  /** Calls that producers reported as lost. */
  readonly reportedLost: number;
  /** Waits for so many tool calls, but no longer than nothing new comes for five seconds. */
  waitFor(calls: number): Promise<void>;
  close(): void;
}

const GIVE_UP_MS = 5_000;

/** Listens on a free port. */
export async function openSpanSink(): Promise<SpanSink> {
  const bodies: ReceivedBody[] = [];
  const arrived = new Set<number>();
  const lost = new Map<string, number>();
  // Only when somebody asks: while calls are measured, decoding would take a processor from them.
  function readArrived(): ReadonlySet<number> {
    for (const body of bodies.splice(0))
      for (const { spanId, attributes } of readSpans(body)) {
        lost.set(spanId, Number(attributes[ATTR_DROPPED_CALLS] ?? 0));
        if (attributes[ATTR_METHOD_NAME] === METHOD_TOOLS_CALL)
          arrived.add(Number(attributes[ATTR_REQUEST_ID]));
      }
    return arrived;
  }
  const server = createServer((request, response) => void receive(request, response, bodies));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    get arrived() {
      return readArrived().size;
    },
    arrivedAfter: (requestId) => [...readArrived()].filter((id) => id > requestId).length,
    get reportedLost() {
      readArrived();
      return [...lost.values()].reduce((sum, calls) => sum + calls, 0);
    },
    waitFor: (calls) => waitForCount(() => readArrived().size, calls),
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

interface ReceivedBody {
  readonly bytes: Buffer;
  readonly isCompressed: boolean;
  readonly encoding: 'json' | 'protobuf';
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  bodies: ReceivedBody[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const isCompressed = request.headers['content-encoding'] === 'gzip';
  const encoding = request.headers['content-type'] === 'application/json' ? 'json' : 'protobuf';
  bodies.push({ bytes: Buffer.concat(chunks), isCompressed, encoding });
  response.setHeader('content-type', request.headers['content-type'] ?? 'application/json');
  response.end(encodeResponse(encoding));
}

function readSpans({ bytes, isCompressed, encoding }: ReceivedBody): readonly OtlpSpan[] {
  const body = isCompressed ? gunzipSync(bytes) : bytes;
  const decoded = encoding === 'json' ? decodeTracesJson(body) : decodeTracesProtobuf(body);
  if (decoded.status !== 'decoded')
    throw new Error(`The wrapper sent what nobody can read: ${decoded.reason}`);
  return decoded.spans;
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
