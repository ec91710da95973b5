// The sending side of the flood, in a process of its own: as many requests at once as it has connections, each refused one
// followed by the next without a pause, as nobody well-behaved would. At the end it says which were acknowledged.
import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';

export interface FloodOrder {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly requests: number;
  readonly spansPerRequest: number;
}

export interface FloodReport {
  /** Every attempt, refused ones too. */
  readonly spansOffered: number;
  readonly acknowledged: readonly number[];
  /** Status to number of requests; 0 where there was no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of requests answered 429 or 503, from the first byte sent to the last of the answer. */
  readonly slowestRefusalMs: number;
  readonly refusalP99Ms: number;
  /** Of requests answered 200. */
  readonly slowestTakenMs: number;
  /** The longest this process itself was held up: what it measures may be too long by as much. */
  readonly heldUpMs: number;
}

// Only the flood starts this.
const order = JSON.parse(process.argv[2] ?? '') as FloodOrder;
const { url, seconds, connections, requests, spansPerRequest } = order;
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, '0');

/** Span `at` of request `n` has trace id `(n << 12) + at + 1`, so that a number names them all. */
function createBody(n: number): Buffer {
  const endedMs = Date.now() - (n % 3_000);
  const spans = Array.from({ length: spansPerRequest }, (_, at) => ({
    traceId: hex(n * 4_096 + at + 1, 32),
    spanId: hex(n * 4_096 + at + 1, 16),
    name: 'tools/call work',
    kind: 2,
    startTimeUnixNano: `${endedMs - 20}000000`,
    endTimeUnixNano: `${endedMs}000000`,
    attributes: [
      text('mcp.method.name', 'tools/call'),
      text('gen_ai.tool.name', `work_${at % 20}`),
      text('mcp.session.id', `session-${n % 200}`),
    ],
  }));
  const resource = { attributes: [text('service.name', 'flooding')] };
  return gzipSync(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }));
}

const waiting = Array.from({ length: requests }, (_, n) => ({ n, body: createBody(n) }));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const acknowledged: number[] = [];
const statuses: Record<string, number> = {};
const refusalsMs: number[] = [];
let slowestTakenMs = 0;
let spansOffered = 0;

function send(body: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const sending = request(url, { method: 'POST', agent, headers, timeout: 30_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sending.on('timeout', () => sending.destroy());
    sending.on('error', () => resolve(0));
    sending.end(body);
  });
}

async function sendRequests(untilMs: number): Promise<void> {
  while (Date.now() < untilMs) {
    const next = waiting.shift();
    if (!next) return;
    const begun = performance.now();
    const status = await send(next.body);
    spansOffered += spansPerRequest;
    statuses[status] = (statuses[status] ?? 0) + 1;
    const tookMs = performance.now() - begun;
    if (status === 200) {
      acknowledged.push(next.n);
      slowestTakenMs = Math.max(slowestTakenMs, tookMs);
    } else {
      if (status === 429 || status === 503) refusalsMs.push(tookMs);
      waiting.push(next);
    }
  }
}

const eventLoopDelay = monitorEventLoopDelay({ resolution: 10 });
eventLoopDelay.enable();
const untilMs = Date.now() + seconds * 1_000;
await Promise.all(Array.from({ length: connections }, () => sendRequests(untilMs)));
agent.destroy();
refusalsMs.sort((a, b) => a - b);
const report: FloodReport = {
  spansOffered,
  acknowledged,
  statuses,
  slowestRefusalMs: refusalsMs.at(-1) ?? 0,
  refusalP99Ms: refusalsMs[Math.floor(refusalsMs.length * 0.99)] ?? 0,
  slowestTakenMs,
  heldUpMs: eventLoopDelay.max / 1e6,
};
process.send?.(report);
