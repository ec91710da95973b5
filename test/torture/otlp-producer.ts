// A process that exports spans as an OTel SDK does: it sends a request again, unchanged, until it is answered with 200, and
// only then says so. It ends when its stdin does.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openProducerLog } from './producer-log.ts';
import { createWeightedRandom } from './random.ts';

interface Order {
  readonly url: string;
  readonly ledger: string;
  readonly name: string;
  readonly seed: number;
}

// Only the torture starts this.
const { url, ledger, name, seed } = JSON.parse(process.argv[2] ?? '') as Order;
const random = createWeightedRandom(seed);
const write = openProducerLog(ledger);
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

function createSpan(traceId: string) {
  const endedMs = Date.now() - random.between(0, 5_000);
  const isError = random.next() < 0.1;
  return {
    traceId,
    spanId: randomBytes(8).toString('hex'),
    name: 'tools/call work',
    kind: 2,
    startTimeUnixNano: `${endedMs - random.between(1, 400)}000000`,
    endTimeUnixNano: `${endedMs}000000`,
    status: isError ? { code: 2, message: 'ENOENT: gone' } : {},
    attributes: [
      text('mcp.method.name', 'tools/call'),
      text('gen_ai.tool.name', `work_${random.between(0, 4)}`),
      text('mcp.session.id', `session-${name}-${random.between(0, 9)}`),
      ...(isError ? [text('error.type', 'tool_error')] : []),
    ],
  };
}

async function isTaken(body: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(10_000);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', body, headers, signal });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

while (!isOver) {
  const traceIds = Array.from({ length: random.between(1, 60) }, () => randomBytes(16).toString('hex'));
  const resource = { attributes: [text('service.name', 'tortured-otlp')] };
  const scopeSpans = [{ spans: traceIds.map(createSpan) }];
  const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
  while (!(await isTaken(body))) await pause(random.between(10, 200));
  write('acknowledged', traceIds);
  await pause(random.between(0, 60));
}
process.exit(0);
