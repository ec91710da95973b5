// What comes to a service in a working day, in rounds: calls in both encodings, compressed and plain, whole requests that come
// again, listings, loops, bodies that are no telemetry, senders that hang up, and people who look at pages.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type TestSpan, toJson, toProtobuf } from '../service/ingest/otlp-document.ts';
import type { RunningService } from '../support/service.ts';

const PAGES = [
  'summary',
  'servers',
  'tools',
  'errors',
  'series?metric=calls&by=tool',
  'never-called',
  'sessions',
  'loops',
  'calls?limit=100',
  'alerts',
];
const SPANS = 20;
const TOOLS = 12;
const SESSIONS = 40;
const MAX_SURPRISES = 5;
const CATALOGUE = JSON.stringify(
  Array.from({ length: TOOLS }, (_, n) => ({ name: `work_${n}`, inputSchema: { type: 'object' } })),
);
const pack = promisify(gzip);

export class MixedTraffic {
  readonly #service: RunningService;
  readonly #statuses = new Map<number, number>();
  #rounds = 0;
  #last: Uint8Array | undefined;
  acknowledged = 0;
  readonly surprises: string[] = [];

  constructor(service: RunningService) {
    this.#service = service;
  }

  get figures(): Record<string, number> {
    return {
      rounds: this.#rounds,
      ...Object.fromEntries([...this.#statuses].map(([status, times]) => [`answers_${status}`, times])),
    };
  }

  /** Some requests at once; resolves when they were answered. */
  async round(): Promise<void> {
    const n = this.#rounds++;
    const calls = Array.from({ length: SPANS }, () => createCall(n));
    const isListing = n % 20 === 0;
    const spans = isListing ? [...calls, createListing(n)] : calls;
    const packed = new Uint8Array(await pack(n % 2 === 0 ? toProtobuf(spans) : toJson(spans)));
    const type = n % 2 === 0 ? 'application/x-protobuf' : 'application/json';
    const sent = this.#send(packed, { 'content-type': type, 'content-encoding': 'gzip' }, 200).then(
      (isTaken) => {
        // Only calls of tools are counted where this is compared.
        if (isTaken) this.acknowledged += SPANS;
      },
    );
    const others: Promise<unknown>[] = [this.#ask(PAGES[n % PAGES.length] ?? 'summary')];
    if (n % 5 === 1 && this.#last) others.push(this.#repeat(this.#last));
    if (n % 7 === 0) others.push(this.#send(randomBytes(2_000), { 'content-type': 'application/json' }, 400));
    if (n % 11 === 0) others.push(this.#send('<a/>', { 'content-type': 'text/xml' }, 415));
    if (n % 13 === 0) others.push(this.#hangUp());
    this.#last = n % 2 === 1 ? packed : undefined;
    await Promise.all([sent, ...others]);
  }

  async #repeat(body: Uint8Array): Promise<void> {
    await this.#send(body, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 200);
  }

  async #send(
    body: Uint8Array | string,
    headers: Record<string, string>,
    expected: number,
  ): Promise<boolean> {
    const { status } = await readStatus(this.#service.post(body, headers));
    this.#count(status);
    if (status !== expected && status !== 429 && status !== 503)
      this.#wonder(`A request was answered with ${status} where ${expected} was due.`);
    return status === 200;
  }

  async #ask(page: string): Promise<void> {
    const { status } = await readStatus(fetch(`${this.#service.base}/api/v1/${page}`));
    this.#count(status);
    if (status !== 200 && status !== 503) this.#wonder(`${page} was answered with ${status}.`);
  }

  #hangUp(): Promise<void> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': 10_000 };
      const sending = request(`${this.#service.base}/v1/traces`, { method: 'POST', headers });
      sending.once('error', () => resolve());
      sending.once('close', () => resolve());
      sending.write('{"resourceSpans":[', () => sending.destroy());
    });
  }

  #count(status: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  #wonder(sentence: string): void {
    if (this.surprises.length < MAX_SURPRISES) this.surprises.push(sentence);
  }
}

async function readStatus(request: Promise<Response>): Promise<{ readonly status: number }> {
  const answer = await request;
  await answer.arrayBuffer();
  return answer;
}

function createCall(round: number): TestSpan {
  const n = Math.floor(Math.random() * TOOLS);
  const session = Math.floor(Math.random() * SESSIONS);
  const isLooping = session === 0;
  const isError = Math.random() < 0.05;
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'tools/call',
    kind: 2,
    startMs: Date.now() - Math.floor(Math.random() * 2_000),
    durationMs: 1 + Math.floor(Math.random() * 400),
    service: `server_${session % 4}`,
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': `work_${isLooping ? 0 : n}`,
      // A new one every minute or so: sessions end, and others begin.
      'mcp.session.id': `session-${session}-${Math.floor(round / 240)}`,
      'gen_ai.tool.call.arguments': isLooping
        ? '{"q":"the same"}'
        : JSON.stringify({ q: randomBytes(40).toString('hex') }),
      'gen_ai.tool.call.result': isLooping ? 'nothing' : randomBytes(400).toString('hex'),
      ...(isError && { 'error.type': 'tool_error' }),
    },
  };
}

function createListing(round: number): TestSpan {
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'tools/list',
    kind: 2,
    startMs: Date.now() - 10,
    durationMs: 2,
    scope: 'toolscope',
    service: `server_${round % 4}`,
    attributes: {
      'mcp.method.name': 'tools/list',
      'toolscope.catalogue.hash': '0123456789abcdef',
      'toolscope.catalogue.tools': CATALOGUE,
    },
  };
}
