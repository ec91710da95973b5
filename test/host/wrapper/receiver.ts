// A tiny OTLP/HTTP receiver, and the ways a real one fails: what the wrapper delivers is read off a real socket.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeTracesJson } from '../../../src/core/otlp/decode-json.ts';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';

// A key that is given, so that no test leaves one in the home of whoever runs it; children inherit it.
process.env.TOOLSCOPE_FINGERPRINT_KEY ??= 'a key for tests';

export type Behaviour = 'answer' | 'hang' | 'drip' | 'fail';

export interface Receiver {
  readonly endpoint: string;
  readonly spans: OtlpSpan[];
  /** Spans of calls, in the order they started. */
  calls(method?: string): OtlpSpan[];
  readonly requests: number;
  /** From now on it does this. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** Listens on a free port of loopback. */
export async function startReceiver(first: Behaviour = 'answer'): Promise<Receiver> {
  const spans: OtlpSpan[] = [];
  let behaviour = first;
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const decoded = decodeTracesJson(Buffer.concat(chunks).toString());
      if (decoded.status === 'decoded') spans.push(...decoded.spans);
      answer(response, behaviour);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
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
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, behaviour: Behaviour): void {
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
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
