// The whole service in this process: a real engine, real HTTP, a document as any OpenTelemetry SDK would send it.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CallsResponse } from '../../src/contract/calls.ts';
import { SessionsResponse } from '../../src/contract/sessions.ts';
import { StreamEvent } from '../../src/contract/stream-event.ts';
import { SummaryResponse } from '../../src/contract/summary.ts';
import { ErrorsResponse, ToolsResponse } from '../../src/contract/tools.ts';
import { readConfig } from '../../src/service/config/read-config.ts';
import { type Service, startService } from '../../src/service/main.ts';
import { toProtobuf } from '../core/otlp/arbitrary-span.ts';
import { createDataFolder } from '../support/data-folder.ts';

const log = pino({ level: 'silent' });
/** For a machine with more to do than this. */
const WAIT_LIMIT = { timeout: 45_000, interval: 50 };

let folder: string;
let service: Service;

function configOf(over: Record<string, string> = {}) {
  return readConfig({
    environment: { TOOLSCOPE_DATA_DIR: join(folder, 'data'), TOOLSCOPE_PORT: '0', ...over },
  });
}

beforeAll(async () => {
  folder = createDataFolder('toolscope-start-');
  // The key of fingerprints is kept in the user's state directory; not in that of the user who runs the tests.
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  service = await startService(configOf(), { log });
}, 60_000);

afterAll(async () => {
  await service?.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const STARTED_MS = Date.now() - 60_000;
const nanos = (ms: number) => `${BigInt(ms) * 1_000_000n}`;

/** Seven calls of one session: five of `add`, one of which fails, two of `search`, one of which has bad arguments. */
function documentOf(trace: string, server: string): object {
  const calls: [tool: string, ms: number, error: string][] = [
    ['add', 10, ''],
    ['add', 20, ''],
    ['add', 30, ''],
    ['add', 40, ''],
    ['add', 50, 'tool_error'],
    ['search', 100, ''],
    ['search', 7, '-32602'],
  ];
  const spans = calls.map(([tool, durationMs, error], at) => ({
    traceId: trace,
    spanId: `00000000000000${(at + 1).toString(16).padStart(2, '0')}`,
    name: `tools/call ${tool}`,
    kind: 2,
    startTimeUnixNano: nanos(STARTED_MS + at * 1000),
    endTimeUnixNano: nanos(STARTED_MS + at * 1000 + durationMs),
    attributes: [
      text('mcp.method.name', 'tools/call'),
      text('gen_ai.tool.name', tool),
      text('mcp.session.id', `session of ${server}`),
      ...(error === '' ? [] : [text('error.type', error)]),
      ...(error.startsWith('-') ? [text('rpc.response.status_code', error)] : []),
    ],
    status: error === '' ? {} : { code: 2, message: 'no such note 4711' },
  }));
  const resource = { attributes: [text('service.name', server), text('service.version', '1.2.3')] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'notes' }, spans }] }] };
}

function post(body: string | Uint8Array, headers: Record<string, string>): Promise<Response> {
  // lib.dom knows no Uint8Array over a shared buffer; ours never is.
  return fetch(`${service.url}/v1/traces`, { method: 'POST', body: body as BodyInit, headers });
}

const postJson = (document: object) => post(JSON.stringify(document), { 'Content-Type': 'application/json' });
const postProtobuf = (document: object) =>
  post(gzipSync(toProtobuf(JSON.stringify(document))), {
    'Content-Type': 'application/x-protobuf',
    'Content-Encoding': 'gzip',
  });

async function fetchOk(path: string): Promise<unknown> {
  const response = await fetch(`${service.url}/api/v1/${path}`);
  expect(response.status, path).toBe(200);
  return response.json();
}

/** The rows of one server without what names it, oldest first, once all of them have arrived. */
async function rowsOf(server: string) {
  const { calls } = await vi.waitFor(async () => {
    const answer = CallsResponse.parse(await fetchOk(`calls?server=${server}`));
    expect(answer.calls).toHaveLength(7);
    return answer;
  }, WAIT_LIMIT);
  return calls
    .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt))
    .map(({ traceId: _trace, server: _server, sessionId: _session, ...row }) => row);
}

async function readStats(server: string) {
  const [tools, errors, sessions, summary] = await Promise.all([
    fetchOk(`tools?server=${server}`).then((answer) => ToolsResponse.parse(answer)),
    fetchOk(`errors?server=${server}`).then((answer) => ErrorsResponse.parse(answer)),
    fetchOk(`sessions?server=${server}`).then((answer) => SessionsResponse.parse(answer)),
    fetchOk(`summary?server=${server}`).then((answer) => SummaryResponse.parse(answer)),
  ]);
  return {
    tools: tools.tools.map(({ tool, calls, errors: failed }) => [tool, calls, failed]),
    errors: errors.errors.map(({ tool, code, fault, count }) => [tool, code, fault, count]),
    sessions: sessions.sessions.map(({ calls, errors: failed }) => [calls, failed]),
    totals: [summary.totals.calls, summary.totals.errors, summary.totals.sessions],
  };
}

const EXPECTED = {
  tools: [
    ['add', 5, 1],
    ['search', 2, 1],
  ],
  errors: [
    ['add', 'tool_error', 'server', 1],
    ['search', '-32602', 'client', 1],
  ],
  sessions: [[7, 2]],
  totals: [7, 2, 1],
};

/** The engine shows a call a moment before the figures that are derived from it. */
function waitForStats(server: string): Promise<void> {
  return vi.waitFor(async () => expect(await readStats(server)).toEqual(EXPECTED), WAIT_LIMIT);
}

describe('the service', () => {
  test('spans sent as OTLP JSON appear in the API and are announced on the event stream', async () => {
    const stream = await fetch(`${service.url}/api/v1/stream`);
    const response = await postJson(documentOf('a'.repeat(32), 'by-json'));
    expect([response.status, await response.json()]).toEqual([200, {}]);
    await rowsOf('by-json');
    await waitForStats('by-json');
    const told = await readStream(stream, ({ kind }) => kind === 'calls');
    expect(told.calls).toBe(7);
  });

  test('the same document as gzipped protobuf gives the same rows', async () => {
    const response = await postProtobuf(documentOf('b'.repeat(32), 'by-protobuf'));
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(await rowsOf('by-protobuf')).toEqual(await rowsOf('by-json'));
    await waitForStats('by-protobuf');
  });

  test('a document sent again in either encoding is counted once', async () => {
    for (const send of [postJson, postProtobuf]) {
      expect((await send(documentOf('a'.repeat(32), 'by-json'))).status).toBe(200);
      expect((await send(documentOf('b'.repeat(32), 'by-protobuf'))).status).toBe(200);
    }
    await vi.waitFor(async () => {
      const summary = SummaryResponse.parse(await fetchOk('summary'));
      expect(summary.freshness.pendingCalls).toBe(0);
    }, WAIT_LIMIT);
    expect(await readStats('by-json')).toEqual(EXPECTED);
    expect(await readStats('by-protobuf')).toEqual(EXPECTED);
  });

  test('the service is healthy, ready and has metrics', async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^toolscope_ingest_spans_accepted_total 14$/m);
    expect(metrics).toMatch(/^toolscope_ingest_spans_duplicate_total 28$/m);
    expect(metrics).toContain('route="/v1/traces",status="200"');
  });

  test('the data directory of the service is accessible to its user only', () => {
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  });

  test('a second start of the service is refused and names the port and the process', async () => {
    const again = startService(configOf({ TOOLSCOPE_PORT: String(service.port) }), { log });
    await expect(again).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringContaining(`${process.pid}`),
    });
  });

  test('a public address without a token is refused before the service does anything', async () => {
    const open = startService(configOf({ TOOLSCOPE_HOST: '0.0.0.0' }), { log });
    await expect(open).rejects.toMatchObject({ code: 'PUBLIC_BIND_REFUSED' });
  });
});

describe('restarted service', () => {
  test('a restarted service has all its data', async () => {
    const before = await readStats('by-json');
    await service.close();
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
    service = await startService(configOf(), { log });
    expect(await readStats('by-json')).toEqual(before);
  }, 60_000);
});

/** The first event that fits. */
async function readStream(response: Response, fits: (event: StreamEvent) => boolean): Promise<StreamEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = ''; ; ) {
    const events = [...read.matchAll(/^data: (.*)\n\n/gm)].map((match) =>
      StreamEvent.parse(JSON.parse(match[1]!)),
    );
    const found = events.find(fits);
    if (found) {
      await reader.cancel();
      return found;
    }
    const { value, done } = await reader.read();
    if (done) throw new Error('the stream ended');
    read += value;
  }
}
