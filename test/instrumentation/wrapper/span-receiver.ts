// A tiny OTLP/HTTP receiver, and the ways a real one fails: what the wrapper delivers is read off a real socket.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { decodeTracesJson } from '../../../src/core/otlp/decode-json.ts';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import { flush } from '../../../src/index.ts';
import { OWN_ADDRESS } from '../../support/own-address.ts';
import { waitForAccepted } from '../exporter/otlp-receiver.ts';

// A key that is given, so that no test leaves one in the home of whoever runs it; children inherit it.
process.env.TOOLSCOPE_FINGERPRINT_KEY ??= 'a key for tests';

export type SpanReceiverBehaviour = 'answer' | 'hang' | 'drip' | 'fail';

export interface SpanReceiver {
  readonly endpoint: string;
  readonly spans: OtlpSpan[];
  /** Spans of calls, in the order they started. */
  calls(method?: string): OtlpSpan[];
  readonly requests: number;
  /** Of every request. */
  readonly headers: IncomingHttpHeaders[];
  /** From now on it does this. */
  behave(behaviour: SpanReceiverBehaviour): void;
  /** Lets go of what came so far, and of whatever is still on its way over a connection made by now. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on a free port of loopback. */
export async function startSpanReceiver(first: SpanReceiverBehaviour = 'answer'): Promise<SpanReceiver> {
  const spans: OtlpSpan[] = [];
  let behaviour = first;
  const headers: IncomingHttpHeaders[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    headers.push(request.headers);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const decoded = decodeTracesJson(Buffer.concat(chunks).toString());
      if (decoded.status === 'decoded') spans.push(...decoded.spans);
      respond(response, behaviour);
    });
  });
  // A pause of a busy machine is no reason to end a connection.
  server.keepAliveTimeout = 120_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, OWN_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://${OWN_ADDRESS}:${port}`,
    spans,
    headers,
    calls: (method) =>
      spans
        .filter((span) => span.attributes['mcp.method.name'] !== undefined)
        .filter((span) => method === undefined || span.attributes['mcp.method.name'] === method)
        .sort((a, b) => a.startUs - b.startUs),
    get requests() {
      return requests;
    },
    behave(next) {
      behaviour = next;
    },
    async forget() {
      await waitForAccepted(port, sockets);
      for (const socket of sockets) socket.destroy();
      spans.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(response: ServerResponse, behaviour: SpanReceiverBehaviour): void {
  switch (behaviour) {
    case 'answer':
      response.setHeader('content-type', 'application/json');
      response.end('{}');
      return;
    case 'fail':
      response.statusCode = 500;
      response.end();
      return;
    case 'drip': {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'hang':
      return;
    default:
      behaviour satisfies never;
  }
}

/** Waits until a condition holds, or fails after forty seconds. */
export async function until<T>(read: () => T | undefined | false): Promise<T> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    const value = read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error('what was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** A flush ends by itself after two seconds, whatever is left; one that ended sooner has sent everything. */
const MAX_COMPLETE_FLUSH_MS = 1_900;

/** Flushes this process's calls until they have arrived, however slow the machine. */
export async function flushAll(): Promise<void> {
  for (let tookMs = Number.POSITIVE_INFINITY; tookMs > MAX_COMPLETE_FLUSH_MS; ) {
    const startedAt = performance.now();
    await flush();
    tookMs = performance.now() - startedAt;
  }
}
