// Where the calls of a host came to: a receiver that answers or hangs, and what lies in a spool. A call is accounted for when its
// span is in one of them, or is counted as dropped there.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeTracesJson } from '../../src/core/otlp/decode-json.ts';
import { parseSegmentName } from '../../src/instrumentation/exporter/segment-name.ts';
import { decodeBatch } from '../../src/instrumentation/exporter/spool-segment.ts';

export interface CallCounts {
  /** Distinct calls of tools. */
  readonly stored: number;
  /** Calls that later ones say were lost. */
  readonly dropped: number;
  /** Of the stored ones, those whose values there was no room for. */
  readonly undescribed: number;
}

export interface CountingReceiver {
  readonly endpoint: string;
  /** What came, and what lies in a spool. */
  count(directory: string): CallCounts;
  close(): Promise<void>;
}

const RECEIVER = fileURLToPath(new URL('fixtures/receiver.mjs', import.meta.url));

/** Listens on a free port of loopback, in a process of its own: what it costs to receive delays no answer that is timed here. */
export async function openCountingReceiver(
  behaviour: 'healthy' | 'hanging' | 'dead',
): Promise<CountingReceiver> {
  const received = mkdtempSync(join(tmpdir(), 'toolscope-received-'));
  const child = fork(RECEIVER, [behaviour, received], { execArgv: [] });
  const [{ port }] = await once(child, 'message');
  const ended = once(child, 'exit');
  if (behaviour === 'dead') await end();
  async function end(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    count: (directory) => countCalls([...readReceived(received), ...readSpool(directory)]),
    async close() {
      await end();
      rmSync(received, { recursive: true, force: true });
    },
  };
}

function readReceived(directory: string): readonly Uint8Array[] {
  return readdirSync(directory).map((name) => {
    const body = readFileSync(join(directory, name));
    return name.endsWith('.gz') ? gunzipSync(body) : body;
  });
}

function countCalls(bodies: readonly Uint8Array[]): CallCounts {
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
    return base === undefined ? [] : [decodeBatch(readFileSync(join(directory, name)), base).body];
  });
}
