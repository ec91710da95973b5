// What `observe()` adds to an in-memory tool call: the same server plain and observed, in turns within one run, because
// only a ratio on one machine means anything. Each round of calls is followed by a rest in which its reductions run, so
// that none of them falls into a round of the other kind.

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { observe } from '../../src/index.ts';

export interface ObserveBenchOptions {
  readonly calls: number;
  /** Characters of text in each result. */
  readonly resultLength: number;
  /** Where calls are delivered; a port nobody listens on will do. */
  readonly endpoint: string;
}

export interface Latency {
  /** Microseconds. */
  readonly p50Us: number;
  readonly p99Us: number;
  readonly meanUs: number;
}

export interface ObserveBenchResult {
  readonly plain: Latency;
  readonly observed: Latency;
  /** How long (ms) a turn of the event loop took in which work was done: 99th percentile. */
  readonly turnP99Ms: number;
}

/** Measures plain and observed calls in alternating rounds of 250. */
export async function benchObserve(options: ObserveBenchOptions): Promise<ObserveBenchResult> {
  const plain = await connect(new McpServer({ name: 'bench', version: '1' }), options.resultLength);
  const watched = await connect(
    observe(new McpServer({ name: 'bench', version: '1' }), { endpoint: options.endpoint }),
    options.resultLength,
  );
  const times = { plain: [] as number[], observed: [] as number[], turns: [] as number[] };
  await callRepeatedly(plain, 2_000, []);
  await callRepeatedly(watched, 2_000, []);
  await idle([]);
  for (let done = 0; done < options.calls; done += 250) {
    await callRepeatedly(plain, 250, times.plain);
    await idle([]);
    await callRepeatedly(watched, 250, times.observed);
    await idle(times.turns);
  }
  return {
    plain: latencyOf(times.plain),
    observed: latencyOf(times.observed),
    turnP99Ms: quantile(times.turns, 0.99),
  };
}

/** Makes one call and waits for its answer. */
export type Call = () => Promise<unknown>;

export async function connect(server: McpServer, resultLength: number): Promise<Call> {
  const text = 'word and number 12 '.repeat(Math.ceil(resultLength / 19)).slice(0, resultLength);
  server.registerTool('find', { inputSchema: { query: z.string(), limit: z.number() } }, async () => ({
    content: [{ type: 'text', text }],
  }));
  const [client, transport] = InMemoryTransport.createLinkedPair();
  await server.connect(transport);
  const waiting = new Map<unknown, (message: unknown) => void>();
  client.onmessage = (message) => {
    if ('id' in message) waiting.get(message.id)?.(message);
  };
  await client.start();
  let id = 0;
  function request(method: string, params: Record<string, unknown>): Promise<unknown> {
    id += 1;
    const current = id;
    return new Promise((resolve) => {
      waiting.set(current, (message) => {
        waiting.delete(current);
        resolve(message);
      });
      void client.send({ jsonrpc: '2.0', id: current, method, params });
    });
  }
  const clientInfo = { name: 'bench', version: '1' };
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  let n = 0;
  return () => {
    n += 1;
    return request('tools/call', { name: 'find', arguments: { query: `q${n}`, limit: n % 50 } });
  };
}

export async function callRepeatedly(call: Call, calls: number, times: number[]): Promise<void> {
  for (let done = 0; done < calls; done += 1) {
    const start = performance.now();
    await call();
    times.push((performance.now() - start) * 1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Turns the event loop until nothing has held it for 20 ms. */
export async function idle(turns: number[]): Promise<void> {
  let quietSince = performance.now();
  while (performance.now() - quietSince < 20) {
    const start = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    const took = performance.now() - start;
    if (took > 0.05) turns.push(took);
    if (took > 0.25) quietSince = performance.now();
  }
}

export function latencyOf(times: number[]): Latency {
  return {
    p50Us: quantile(times, 0.5),
    p99Us: quantile(times, 0.99),
    meanUs: times.reduce((sum, time) => sum + time, 0) / times.length,
  };
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
