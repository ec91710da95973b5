// Every bad input of OTLP/HTTP over real HTTP: its status, its body in the encoding of the request, and that the next good
// request works.
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { Registry } from 'prom-client';
import { Reader } from 'protobufjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIngestMetrics } from '../../../src/service/ingest/ingest-metrics.ts';
import type { Taken } from '../../../src/service/ingest/intake.ts';
import { createReceiver } from '../../../src/service/ingest/receiver.ts';
import { silent, startWorld, until, type World } from './harness.ts';
import { toJson, toolCall, toProtobuf, toSpanId } from './otlp-document.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.end());

const PROTOBUF = 'application/x-protobuf';

/** google.rpc.Status: 1 code, 2 message. */
function readStatus(bytes: Uint8Array): { code: number; message: string } {
  const reader = Reader.create(bytes);
  const status = { code: 0, message: '' };
  while (reader.pos < reader.len) {
    const field = reader.uint32() >>> 3;
    if (field === 1) status.code = reader.int32();
    else status.message = reader.string();
  }
  return status;
}

/** ExportTraceServiceResponse: 1 partial_success {1 rejected_spans, 2 error_message}. */
function readPartialSuccess(bytes: Uint8Array): { rejectedSpans: string; errorMessage: string } | undefined {
  const reader = Reader.create(bytes);
  if (reader.len === 0) return undefined;
  reader.uint32();
  const end = reader.uint32() + reader.pos;
  const partial = { rejectedSpans: '0', errorMessage: '' };
  while (reader.pos < end) {
    const field = reader.uint32() >>> 3;
    if (field === 1) partial.rejectedSpans = String(reader.int64());
    else partial.errorMessage = reader.string();
  }
  return partial;
}

async function expectStatus(response: Response, { status, code }: { status: number; code: number }) {
  const type = response.headers.get('content-type');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status).toBe(status);
  const body = type === PROTOBUF ? readStatus(bytes) : JSON.parse(bytes.toString());
  expect(body).toEqual({ code, message: expect.stringMatching(/^[A-Z].+\.$/) });
  return type;
}

async function expectGoodRequestWorks(n = 99): Promise<void> {
  const response = await world.post(toJson([toolCall(n, world.clock.now())]));
  expect([response.status, await response.text()]).toEqual([200, '{}']);
  await world.ingest.close();
  expect(world.sink.rows().map((row) => row['span_id'])).toContain(toSpanId(n));
}

const good = () => toJson([toolCall(1, world.clock.now())]);
const goodProtobuf = () => toProtobuf([toolCall(1, world.clock.now())]);
const BOMB = gzipSync(Buffer.alloc(80 * 1024 * 1024));

describe('a request that cannot be read', () => {
  test.each<[string, () => string | Uint8Array, Record<string, string>, number, number, string]>([
    ['JSON that ends in the middle', () => good().slice(0, -5), {}, 400, 3, 'it is no JSON'],
    ['no JSON at all', () => 'spans', {}, 400, 3, 'it is no JSON'],
    ['an empty body of JSON', () => '', {}, 400, 3, 'nothing is no JSON, though it is valid protobuf'],
    ['an array for the document', () => `[${good()}]`, {}, 400, 3, 'the document is an object'],
    ['null', () => 'null', {}, 400, 3, 'the document is an object'],
    ['an object for the list of resources', () => '{"resourceSpans":{}}', {}, 400, 3, 'it is a list'],
    ['bytes that are no UTF-8', () => Buffer.from([0x22, 0xff, 0x22]), {}, 400, 3, 'JSON is UTF-8'],
    [
      'protobuf that ends in the middle',
      () => goodProtobuf().subarray(0, -7),
      { 'content-type': PROTOBUF },
      400,
      3,
      'a length leads behind the end',
    ],
    ['JSON called protobuf', good, { 'content-type': PROTOBUF }, 400, 3, 'it is no protobuf'],
    ['plain JSON called gzip', good, { 'content-encoding': 'gzip' }, 400, 3, 'it is not gzip'],
    [
      'gzip that ends in the middle',
      () => gzipSync(good()).subarray(0, -9),
      { 'content-encoding': 'gzip' },
      400,
      3,
      'half a document is none',
    ],
    [
      'gzip of something else',
      () => gzipSync('spans'),
      { 'content-encoding': 'gzip' },
      400,
      3,
      'it is no JSON',
    ],
    [
      'protobuf called gzip',
      goodProtobuf,
      { 'content-type': PROTOBUF, 'content-encoding': 'gzip' },
      400,
      3,
      'it is not gzip',
    ],
    ['plain text', good, { 'content-type': 'text/plain' }, 415, 3, 'OTLP is JSON or protobuf'],
    [
      'an unknown encoding',
      good,
      { 'content-encoding': 'br' },
      415,
      3,
      'only gzip is asked for by the specification',
    ],
    ['gzip twice', good, { 'content-encoding': 'gzip, gzip' }, 415, 3, 'one layer is enough'],
    [
      'an unknown encoding of protobuf',
      goodProtobuf,
      { 'content-type': PROTOBUF, 'content-encoding': 'deflate' },
      415,
      3,
      'the answer is protobuf all the same',
    ],
    [
      '64 MiB and a byte',
      () => Buffer.alloc(64 * 1024 * 1024 + 1, ' '),
      {},
      413,
      8,
      'the limit of the specification',
    ],
    [
      'a zip bomb',
      () => BOMB,
      { 'content-encoding': 'gzip' },
      413,
      8,
      'the limit counts what it inflates to',
    ],
    [
      'a zip bomb of protobuf',
      () => BOMB,
      { 'content-type': PROTOBUF, 'content-encoding': 'gzip' },
      413,
      8,
      'the limit counts what it inflates to',
    ],
  ])('%s', async (_what, body, headers, status, code, _because) => {
    const response = await world.post(body(), headers);
    const type = await expectStatus(response, { status, code });
    expect(type).toBe(headers['content-type'] === PROTOBUF ? PROTOBUF : 'application/json');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await world.metric('toolscope_ingest_requests_refused_total', { status: String(status) })).toBe(1);
    await expectGoodRequestWorks();
  });

  test('a body without a length is stopped at the limit while it is still being sent', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = request(world.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      let answered = false;
      sending.on('response', (response) => {
        answered = true;
        response.resume();
        sending.end();
        resolve(response.statusCode);
      });
      sending.on('error', reject);
      const pump = (): void => {
        while (!answered && !sending.destroyed) {
          if (!sending.write(chunk)) {
            sending.once('drain', pump);
            return;
          }
        }
      };
      pump();
    });
    expect(status).toBe(413);
    await expectGoodRequestWorks();
  });

  test('a sender that goes away in the middle leaves nothing behind', async () => {
    const sending = request(world.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 1000 },
    });
    sending.on('error', () => undefined);
    await new Promise<void>((resolve) => sending.write('{"resourceSpans":[', () => resolve()));
    sending.destroy();
    await expectGoodRequestWorks();
  });

  test('another method is told which one is meant', async () => {
    const response = await fetch(world.url);
    await expectStatus(response, { status: 405, code: 12 });
    expect(response.headers.get('allow')).toBe('POST');
  });
});

describe('a request that can be read', () => {
  test.each([
    ['JSON', () => '{}', {}, '{}'],
    ['JSON with an empty list', () => '{"resourceSpans":[]}', {}, '{}'],
    ['JSON with a charset', () => '{}', { 'content-type': 'Application/JSON; charset=utf-8' }, '{}'],
    ['protobuf', () => '', { 'content-type': PROTOBUF }, ''],
    ['gzipped JSON', () => gzipSync('{}'), { 'content-encoding': 'gzip' }, '{}'],
    ['JSON that says it is plain', () => '{}', { 'content-encoding': 'identity' }, '{}'],
  ])('and is empty succeeds in %s', async (_what, body, headers, answer) => {
    const response = await world.post(body(), headers);
    expect([response.status, await response.text()]).toEqual([200, answer]);
  });

  const bad = () => {
    const now = world.clock.now();
    const day = 24 * 3_600_000;
    return {
      shortTraceId: toolCall(1, now, { traceId: 'abcdef' }),
      zeroSpanId: toolCall(2, now, { spanId: '0'.repeat(16) }),
      beforeRetention: toolCall(3, now - 30 * day - 1),
      farFuture: toolCall(4, now + 10 * 60_000 + 1),
      endsInFuture: toolCall(5, now, { durationMs: 11 * 60_000 }),
      good: toolCall(6, now - 30 * day),
      goodToo: toolCall(7, now + 10 * 60_000, { durationMs: 0 }),
    };
  };

  test('with spans that are refused stores the others, and says how many and why', async () => {
    const response = await world.post(toJson(Object.values(bad())));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      partialSuccess: {
        rejectedSpans: '5',
        errorMessage:
          'Refused spans: 2 with a malformed trace or span id, 1 from before the retention, 2 more than 10 minutes ahead of the clock here.',
      },
    });
    await world.ingest.close();
    expect(world.sink.rows().map((row) => row['span_id'])).toEqual([6, 7].map(toSpanId));
    expect(world.ingest.rejectedSpans).toBe(5);
    expect(await world.metric('toolscope_ingest_spans_rejected_total', { reason: 'in_future' })).toBe(2);
    expect(await world.metric('toolscope_ingest_spans_accepted_total')).toBe(2);
  });

  test('in protobuf says so in protobuf', async () => {
    const response = await world.post(toProtobuf(Object.values(bad())), { 'content-type': PROTOBUF });
    expect(response.headers.get('content-type')).toBe(PROTOBUF);
    expect(readPartialSuccess(new Uint8Array(await response.arrayBuffer()))).toEqual({
      rejectedSpans: '5',
      errorMessage: expect.stringContaining('2 with a malformed trace or span id'),
    });
  });

  test('with spans that are no MCP calls succeeds, and counts why they are none', async () => {
    const now = world.clock.now();
    const response = await world.post(
      toJson([
        toolCall(1, now, { attributes: { 'db.system': 'postgresql' } }),
        toolCall(2, now, { kind: 3 }),
        toolCall(3, now),
        toolCall(4, now, { traceId: toolCall(3, now).traceId, parentSpanId: toolCall(3, now).spanId }),
      ]),
    );
    expect([response.status, await response.text()]).toEqual([200, '{}']);
    for (const reason of ['not_mcp', 'client_side', 'nested_server_span'])
      expect([reason, await world.metric('toolscope_ingest_spans_ignored_total', { reason })]).toEqual([
        reason,
        1,
      ]);
    await world.ingest.close();
    expect(world.sink.rows().map((row) => row['span_id'])).toEqual([toSpanId(3)]);
  });
});

describe('a service that cannot take more', () => {
  test('answers 429 when the journal is full, and takes again when it has been shipped', async () => {
    await world.end();
    world = await startWorld({ journalCapBytes: 6_000 });
    world.sink.script.push({ status: 'retryable', reason: 'down' });
    const statuses: number[] = [];
    for (let n = 1; n <= 5; n++) {
      const response = await world.post(toJson([toolCall(n, world.clock.now())]));
      statuses.push(response.status);
      if (response.status !== 429) continue;
      expect(response.headers.get('retry-after')).toBe('5');
      await expectStatus(response, { status: 429, code: 8 });
    }
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(429);
    await until(async () => {
      await world.clock.advance(1_000);
      return world.ingest.pendingCalls === 0;
    });
    const response = await world.post(toProtobuf([toolCall(6, world.clock.now())]), {
      'content-type': PROTOBUF,
    });
    expect(response.status).toBe(200);
  });

  test('answers 503 when all bodies together are too much, and takes the next one alone', async () => {
    const registry = new Registry();
    let finish = (): void => undefined;
    const taking = new Promise<Taken>((resolve) => {
      finish = () => resolve({ status: 'taken', rejected: new Map() });
    });
    const app = express().use(
      createReceiver({
        intake: { take: () => taking },
        metrics: createIngestMetrics(registry, () => undefined),
        log: silent,
        readiness: () => 'ready',
        allBodiesBytes: 1_000,
      }),
    );
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
    const post = () =>
      fetch(`http://127.0.0.1:${address.port}/v1/traces`, {
        method: 'POST',
        body: '{}'.padEnd(600),
        headers: { 'content-type': 'application/json' },
      });
    const answers = [post(), post()];
    const refused = await Promise.race(answers);
    expect(refused.headers.get('retry-after')).toBe('1');
    await expectStatus(refused, { status: 503, code: 14 });
    finish();
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 503]);
    expect((await post()).status).toBe(200);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('answers 503 while it drains', async () => {
    const closing = world.ingest.close();
    const response = await world.post(goodProtobuf(), { 'content-type': PROTOBUF });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await expectStatus(response, { status: 503, code: 14 })).toBe(PROTOBUF);
    await closing;
  });
});
