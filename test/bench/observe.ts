// What `observe()` adds to an in-memory tool call: the same server plain and observed, in turns within one run, because
// only a ratio on one machine means anything. Reductions run between calls, as they do in a server that waits for I/O.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
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

export interface ObserveBench {
  readonly plain: Latency;
  readonly observed: Latency;
  /** Longest stretch (ms) the event loop was held between calls while reductions ran: 99th percentile. */
  readonly slicesP99Ms: number;
}

/** Measures plain and observed calls in alternating rounds of 250. */
export async function benchObserve(options: ObserveBenchOptions): Promise<ObserveBench> {
  const plain = await connect(new McpServer({ name: 'bench', version: '1' }), options.resultLength);
  const watched = await connect(
    observe(new McpServer({ name: 'bench', version: '1' }), { endpoint: options.endpoint }),
    options.resultLength,
  );
  const times = { plain: [] as number[], observed: [] as number[], slices: [] as number[] };
  await round(plain, 2_000, [], []);
  await round(watched, 2_000, [], []);
  for (let done = 0; done < options.calls; done += 250) {
    await round(plain, 250, times.plain, []);
    await round(watched, 250, times.observed, times.slices);
  }
  return {
    plain: latencyOf(times.plain),
    observed: latencyOf(times.observed),
    slicesP99Ms: quantile(times.slices, 0.99) / 1000,
  };
}

type Call = () => Promise<unknown>;

async function connect(server: McpServer, resultLength: number): Promise<Call> {
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

async function round(call: Call, calls: number, times: number[], slices: number[]): Promise<void> {
  for (let done = 0; done < calls; done += 1) {
    const start = performance.now();
    await call();
    times.push((performance.now() - start) * 1000);
    const yielded = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    slices.push((performance.now() - yielded) * 1000);
  }
}

function latencyOf(times: number[]): Latency {
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
