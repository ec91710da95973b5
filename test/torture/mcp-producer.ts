// A process that is an MCP server under observation, called by a real client inside it. The client chooses the trace of each
// call and writes it down when the answer is there; what becomes of the span is the wrapper's business. It ends when its
// stdin does.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { observe, shutdown } from '../../src/index.ts';
import { openProducerLog, PRODUCER_HEARTBEAT_MS } from './producer-log.ts';
import { createWeightedRandom } from './random.ts';

interface Order {
  readonly url: string;
  readonly ledger: string;
  readonly seed: number;
  /** Makes no calls: is there so that what dead processes left behind finds its way. */
  readonly isIdle: boolean;
}

// Only the torture starts this.
const { url, ledger, seed, isIdle } = JSON.parse(process.argv[2] ?? '') as Order;
const random = createWeightedRandom(seed);
const write = openProducerLog(ledger);
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

const server = observe(new McpServer({ name: 'tortured-mcp', version: '1.0.0' }), { endpoint: url });
server.registerTool(
  'write_note',
  { description: 'Writes a note.', inputSchema: { title: z.string(), body: z.string() } },
  async ({ title, body }) => {
    await pause(random.between(0, 5));
    if (title.endsWith('7')) throw new Error(`no notebook for ${title}`);
    return { content: [{ type: 'text', text: `${title}\n${body}` }] };
  },
);
const client = new Client({ name: 'torturer', version: '1.0.0' });
const [inner, outer] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(inner), client.connect(outer)]);
await client.listTools();

async function call(): Promise<void> {
  const traceId = randomBytes(16).toString('hex');
  await client.callTool({
    name: 'write_note',
    arguments: { title: `note ${random.between(0, 99)}`, body: 'x'.repeat(random.between(0, 2_000)) },
    _meta: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` },
  });
  write('answered', [traceId]);
}

setInterval(() => write('beat', ['-']), PRODUCER_HEARTBEAT_MS);
while (!isOver) {
  if (!isIdle) await call();
  await pause(random.between(0, isIdle ? 200 : 25));
}
await shutdown();
process.exit(0);
