// The service answers every hostile request with what is wrong, stores nothing of it, reveals no internals, and accepts the next
// good request. The rows are counted at the end, in the store itself.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/service/config/read-config.ts';
import { startEngine } from '../../src/service/engine/engine.ts';
import { type Service, startService } from '../../src/service/main.ts';
import { createStore } from '../../src/service/store/store.ts';
import { toProtobuf } from '../core/otlp/arbitrary-span.ts';
import { listFileEntries } from '../support/list-files.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { API_CASES } from './hostile-api-cases.ts';
import { documentOf, goodSpan, type HostileCase, OTLP_CASES } from './hostile-otlp-cases.ts';
import { WIRE_CASES } from './hostile-wire-cases.ts';

let folder: string;
let service: Service;
let logged = '';
/** The ledger of this test: what was answered with 200 and is a call. */
let expectedRows = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolscope-hostile-'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  const environment = { TOOLSCOPE_DATA_DIR: join(folder, 'data'), TOOLSCOPE_PORT: '0' };
  service = await startService(readConfig({ environment }), { log: pino({ level: 'debug' }, sink) });
}, 180_000);

afterAll(async () => {
  await service?.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
}, 180_000);

interface HttpReply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** As it is: fetch would mend paths and heads. */
function send({ method = 'GET', path, headers = {}, body = '' }: Partial<HostileCase>): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: service.port, path: '/', method, agent: false },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () =>
          resolve({
            status: res.statusCode ?? 0,
            headers: res.headers,
            body: Buffer.concat(chunks).toString('latin1'),
          }),
        );
      },
    );
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value);
    // The client refuses a path that a server has to refuse.
    Object.assign(sent, { path });
    sent.on('error', reject).end(body);
  });
}

/** Bytes as they are, and what comes back until the connection ends. */
function sendBytes(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(service.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      // A keep-alive answer: nothing more will come.
      if (/^HTTP\/1\.1 \d+ [\s\S]*\r\n\r\n/.test(heard)) socket.end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
    socket.end(Buffer.from(bytes, 'latin1'));
  });
}

/** What no answer may hold: stacks, places in our files or on this machine, SQL, the engine's words. */
const INTERNAL_DETAILS =
  /\bat [\w.<>]+ \(|node_modules|node:internal|\.[jt]s:\d+|\/work\/|DB::Exception|\bSELECT\b.*\bFROM\b|ECONN|toolscope-hostile/;

function expectNoInternals({ body, status, headers }: HttpReply, sent = ''): void {
  expect(status).toBeLessThan(500);
  // What was sent may be repeated, as the message has to name it.
  if (!INTERNAL_DETAILS.test(sent)) expect(body).not.toMatch(INTERNAL_DETAILS);
  expect(body).not.toContain(folder);
  expect(headers['x-powered-by']).toBeUndefined();
}

async function expectGoodRequestWorks(): Promise<void> {
  const body = JSON.stringify(documentOf([goodSpan()]));
  const answer = await send({
    method: 'POST',
    path: '/v1/traces',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect([answer.status, answer.body]).toEqual([200, '{}']);
  expectedRows += 1;
}

function rejectedOf({ body }: HttpReply): number | undefined {
  if (body.startsWith('{')) {
    const partial = JSON.parse(body).partialSuccess;
    return partial === undefined ? undefined : Number(partial.rejectedSpans);
  }
  // ExportTraceServiceResponse 1 { 1: varint below 128 }.
  return body === '' ? undefined : body.charCodeAt(3);
}

test('the tables hold at least two hundred cases, each with a reason', () => {
  const cases = [...OTLP_CASES, ...API_CASES, ...WIRE_CASES];
  expect(cases.length).toBeGreaterThanOrEqual(200);
  expect(cases.filter(({ because }) => because.length < 5)).toEqual([]);
  const names = cases.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

// Requirement: ingest.hostile
describe('hostile OTLP requests', () => {
  test.each(OTLP_CASES)('the service answers $name with $status because $because', async (hostile) => {
    const answer = await send(hostile);
    expect(answer.status).toBe(hostile.status);
    expectNoInternals(answer);
    if (hostile.status === 200) expect(rejectedOf(answer)).toBe(hostile.rejected);
    expectedRows += hostile.rows ?? 0;
    await expectGoodRequestWorks();
  });
});

describe('hostile API queries', () => {
  test.concurrent.each(API_CASES)(
    'the service answers $name with $status because $because',
    async (hostile) => {
      const answer = await send(hostile);
      expect([answer.status, answer.status === hostile.status ? '' : answer.body]).toEqual([
        hostile.status,
        '',
      ]);
      expectNoInternals(
        answer,
        decodeURIComponent(hostile.path.replace(/%(?![0-9a-f]{2})|%[8-f][0-9a-f]/gi, '')),
      );
      await expectGoodRequestWorks();
    },
  );
});

describe('hostile bytes on the socket', () => {
  test.each(WIRE_CASES)(
    'the service answers $name with $status because $because',
    async ({ bytes, status }) => {
      const heard = await sendBytes(bytes);
      expect(Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 0)).toBe(status);
      expect(heard).not.toMatch(INTERNAL_DETAILS);
      expect(heard).not.toContain(folder);
      await expectGoodRequestWorks();
    },
  );
});

describe('OTLP decoders under fuzzing', () => {
  const RUNS = { numRuns: propertyRuns({ quick: 80, full: 1_000 }) };
  const good = documentOf([goodSpan({ traceId: 'x' })], 'hostile');
  const JSON_BYTES = Buffer.from(JSON.stringify(good));
  const PROTOBUF_BYTES = Buffer.from(
    toProtobuf(JSON.stringify(documentOf([goodSpan({ traceId: 'ab' })], 'hostile'))),
  );
  // A span with a bad id can be mutated as one likes: it is never a row.
  const mutated = (bytes: Buffer) =>
    fc
      .array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255), fc.constantFrom('set', 'cut', 'double')), {
        minLength: 1,
        maxLength: 6,
      })
      .map((changes) =>
        changes.reduce((now, [at, byte, how]) => {
          const place = at % Math.max(1, now.length);
          if (how === 'set')
            return Buffer.concat([now.subarray(0, place), Buffer.from([byte]), now.subarray(place + 1)]);
          if (how === 'cut')
            return Buffer.concat([now.subarray(0, place), now.subarray(place + (byte % 16))]);
          return Buffer.concat([
            now.subarray(0, place),
            now.subarray(Math.max(0, place - byte)),
            now.subarray(place),
          ]);
        }, bytes),
      );

  test.each([
    ['application/json', 'mutated', mutated(JSON_BYTES)],
    ['application/x-protobuf', 'mutated', mutated(PROTOBUF_BYTES)],
    [
      'application/json',
      'random JSON',
      fc.json().map((json) => Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${json}]}]}]}`)),
    ],
    [
      'application/json',
      'random bytes',
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ],
    [
      'application/x-protobuf',
      'random bytes',
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ],
  ])('a %s body with %s gets a status below 500 that reveals no internals', async (type, _how, bodies) => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await send({
          method: 'POST',
          path: '/v1/traces',
          headers: { 'content-type': type },
          body,
        });
        expect([200, 400, 413]).toContain(answer.status);
        expectNoInternals(answer);
      }),
      RUNS,
    );
    await expectGoodRequestWorks();
  });
});

describe('query parser under fuzzing', () => {
  const PARAMETERS = [
    'from',
    'to',
    'server',
    'environment',
    'client',
    'tool',
    'version',
    'plan',
    'metric',
    'by',
    'limit',
    'cursor',
    'minCalls',
    'looping',
    'order',
    'state',
    'severity',
    'kind',
    'session',
    'method',
    'outcome',
    'code',
    'errors',
    '__proto__',
    '',
  ];
  const ROUTES = [
    'summary',
    'servers',
    'tools',
    'errors',
    'series',
    'never-called',
    'sessions',
    'sessions/x',
    'loops',
    'calls',
    'alerts/events',
  ];
  const hostileText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      'now',
      'now-1h',
      '0',
      '-1',
      '1e999',
      "'",
      '\\',
      '\\N',
      '{a:String}',
      "') --",
      'true',
      'calls',
      'p95',
      '2026-01-01',
      '999999999999999',
      '\0',
    ),
    fc
      .array(fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null)))
      .map((key) => Buffer.from(JSON.stringify(['calls', 1, 2, ...key])).toString('base64url')),
  );
  const pair = fc.tuple(fc.constantFrom(...PARAMETERS), hostileText);
  const toParameter = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '�'));

  test('a random query gets a status below 500 that reveals no internals', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ROUTES),
        fc.array(pair, { minLength: 1, maxLength: 4 }),
        async (route, pairs) => {
          const query = pairs.map(([name, value]) => `${toParameter(name)}=${toParameter(value)}`).join('&');
          const answer = await send({ path: `/api/v1/${route}?${query}` });
          expect([200, 400, 404]).toContain(answer.status);
          expectNoInternals(answer);
        },
      ),
      { numRuns: propertyRuns({ quick: 100, full: 1_000 }) },
    );
    await expectGoodRequestWorks();
  });

  test('a query with one valid parameter of random value gets a status below 500 that reveals no internals', async () => {
    const allowed: Readonly<Record<string, readonly string[]>> = {
      summary: ['from', 'server', 'tool'],
      series: ['by', 'to', 'client'],
      sessions: ['minCalls', 'cursor', 'order', 'plan'],
      loops: ['session', 'cursor', 'from'],
      calls: ['cursor', 'code', 'session', 'outcome', 'from', 'to'],
    };
    const asked = fc
      .constantFrom(...Object.entries(allowed))
      .chain(([route, names]) => fc.tuple(fc.constant(route), fc.constantFrom(...names), hostileText));
    await fc.assert(
      fc.asyncProperty(asked, async ([route, name, value]) => {
        const needed = route === 'series' ? 'metric=p95&' : '';
        const answer = await send({ path: `/api/v1/${route}?${needed}${name}=${toParameter(value)}` });
        expect([200, 400]).toContain(answer.status);
        expectNoInternals(answer);
      }),
      // Each is answered by the store, a summary with half a second of a processor.
      { numRuns: propertyRuns({ quick: 30, full: 1_000 }) },
    );
  });
});

describe('state after all hostile requests', () => {
  test('no prototype was polluted by a request', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('the log holds no request that failed with an internal error', () => {
    const lines = logged
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ level, msg }) => level >= 50 || msg === 'request failed')).toEqual([]);
  });

  test('every file of the data directory is readable by its owner only', () => {
    const found = listFileEntries(join(folder, 'data'));
    expect(found.length).toBeGreaterThan(10);
    expect(found.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
    expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0);
  });

  test('the store holds each accepted call exactly once, and no other call', async () => {
    // A close waits five seconds for the store, and leaves the rest to the next start.
    const journal = join(folder, 'data', 'journal');
    await expect
      .poll(() => readdirSync(journal).filter((name) => name.endsWith('.seg')).length)
      .toBeLessThan(2);
    await service.close();
    const log = pino({ level: 'silent' });
    const engine = await startEngine({ dataDirectory: join(folder, 'data'), log });
    const store = createStore({ ...engine, database: 'toolscope', log });
    const count = async (sql: string) => (await store.query({ sql, row: z.object({ n: z.number() }) }))[0]?.n;
    try {
      expect(await count('SELECT count() AS n FROM calls')).toBe(expectedRows);
      expect(await count('SELECT uniqExact(trace_id, span_id) AS n FROM calls')).toBe(expectedRows);
      expect(await count("SELECT count() AS n FROM calls WHERE server_name = 'hostile'")).toBe(0);
      expect(await count('SELECT count() AS n FROM payloads')).toBe(0);
    } finally {
      await store.close();
      await engine.stop();
    }
    const quarantine = join(folder, 'data', 'quarantine');
    expect(existsSync(quarantine) ? readdirSync(quarantine) : []).toEqual([]);
  }, 180_000);
});
