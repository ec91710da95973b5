// Where the calls of a host came to: a receiver that answers or hangs, and what lies in a spool. A call is accounted for when its
// span is in one of them, or is counted as dropped there.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeTracesJson } from '../../src/core/otlp/decode-json.ts';
import { parseSegmentName } from '../../src/host/delivery/spool-name.ts';
import { readBatch } from '../../src/host/delivery/spooled-batch.ts';

export interface CallsLeft {
  /** Distinct calls of tools. */
  readonly stored: number;
  /** Calls that later ones say were lost. */
  readonly dropped: number;
  /** Of the stored ones, those whose values there was no room for. */
  readonly undescribed: number;
}

export interface Receiver {
  readonly endpoint: string;
  /** What came, and what lies in a spool. */
  count(directory: string): CallsLeft;
  close(): void;
}

/** Listens on a free port of loopback. A receiver that hangs takes no request to its end. */
export async function openReceiver(behaviour: 'healthy' | 'hanging' | 'dead'): Promise<Receiver> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (behaviour === 'hanging') return;
      const whole = Buffer.concat(chunks);
      bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole);
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  function close(): void {
    server.closeAllConnections();
    server.close();
  }
  if (behaviour === 'dead') close();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    count: (directory) => countIn([...bodies, ...readSpool(directory)]),
    close,
  };
}

function countIn(bodies: readonly Uint8Array[]): CallsLeft {
  const stored = new Map<string, boolean>();
  let dropped = 0;
  for (const body of bodies) {
    const decoded = decodeTracesJson(Buffer.from(body).toString());
    if (decoded.status !== 'decoded') throw new Error(`A host wrote what nobody can read: ${decoded.reason}`);
    for (const { spanId, attributes } of decoded.spans) {
      // A span that came twice says twice what was lost before it.
      if (!stored.has(spanId)) dropped += Number(attributes['toolscope.delivery.dropped_calls'] ?? 0);
      if (attributes['mcp.method.name'] === 'tools/call')
        stored.set(spanId, attributes['toolscope.values.not_described'] !== undefined);
    }
  }
  const undescribed = [...stored.values()].filter((is) => is).length;
  return { stored: stored.size, dropped, undescribed };
}

function readSpool(directory: string): readonly Uint8Array[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const base = parseSegmentName(basename(name))?.base;
    return base === undefined ? [] : [readBatch(readFileSync(join(directory, name)), base).body];
  });
}
