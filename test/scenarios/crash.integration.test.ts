// What was acknowledged is there once, whatever was killed in between. The ledger is the test's own: it knows what it
// sent and what was answered with 200, and sends again what was not, as an exporter would.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallsResponse } from '../../src/contract/calls.ts';
import type { SessionsResponse } from '../../src/contract/sessions.ts';
import type { SummaryResponse } from '../../src/contract/summary.ts';
import type { ToolsResponse } from '../../src/contract/tools.ts';
import { listChildProcesses } from '../support/child-processes.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { pause, type RunningService, startService, until, waitUntilDrained } from '../support/service.ts';
import { startStopwatch } from '../support/stopwatch.ts';

/** The processes around it are killed in `torture.long.test.ts`; here it is the service alone. */
const KILLS = propertyRuns({ quick: 3, full: 10 });
const SPANS_PER_REQUEST = 40;
const PRODUCERS = 4;

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

interface TraceRequest {
  readonly body: string;
  readonly spanIds: readonly string[];
}

function createRequest(producer: number, n: number): TraceRequest {
  const spanIds = Array.from({ length: SPANS_PER_REQUEST }, () => randomBytes(8).toString('hex'));
  const nowNano = BigInt(Date.now()) * 1_000_000n;
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const spans = spanIds.map((spanId, at) => ({
    traceId: randomBytes(16).toString('hex'),
    spanId,
    name: 'tools/call work',
    kind: 2,
    startTimeUnixNano: String(nowNano - BigInt(at) * 1_000_000n),
    endTimeUnixNano: String(nowNano - BigInt(at) * 1_000_000n + 900_000n),
    status: at % 10 === 0 ? { code: 2, message: 'ENOENT: gone' } : {},
    attributes: [
      attribute('mcp.method.name', 'tools/call'),
      attribute('gen_ai.tool.name', `work_${at % 5}`),
      attribute('mcp.session.id', `session-${producer}-${n % 7}`),
      ...(at % 10 === 0 ? [attribute('error.type', 'tool_error')] : []),
    ],
  }));
  const resource = { attributes: [attribute('service.name', 'crashing')] };
  return { spanIds, body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }) };
}

/** Sends until it is stopped; a request counts only once it was answered with 200. */
async function produce(producer: number, ledger: Set<string>, stopped: () => boolean): Promise<void> {
  for (let n = 0; !stopped(); n += 1) {
    const request = createRequest(producer, n);
    await until(async () => ((await service.post(request.body)).status === 200 ? true : undefined), {
      withinMs: 200_000,
      everyMs: 20,
    });
    for (const spanId of request.spanIds) ledger.add(spanId);
  }
}

async function storedSpanIds(): Promise<string[]> {
  const stored: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: CallsResponse = await service.ask(`calls?limit=1000${cursor ? `&cursor=${cursor}` : ''}`);
    stored.push(...page.calls.map((call) => call.spanId));
    cursor = page.nextCursor;
  }
  return stored;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

describe('a service under load', () => {
  // Requirement: ingest.killed
  test(`every acknowledged span is stored exactly once after ${KILLS} kills`, {
    timeout: 600_000,
  }, async () => {
    const ledger = new Set<string>();
    let stopped = false;
    const producers = Array.from({ length: PRODUCERS }, (_, at) => produce(at, ledger, () => stopped));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = ledger.size;
      await until(async () => (ledger.size > before + 200 ? true : undefined), { withinMs: 90_000 });
      await pause(Math.random() * 300);
      await service.kill();
      await service.start();
    }
    stopped = true;
    await Promise.all(producers);
    await waitUntilDrained(service);

    const stored = await storedSpanIds();
    expect(ledger.size).toBeGreaterThan(KILLS * 200);
    expect(stored.length).toBe(new Set(stored).size);
    expect(new Set(stored)).toEqual(ledger);

    const minutes = await service.ask<ToolsResponse>('tools');
    const hours = await service.ask<ToolsResponse>('tools?from=now-45d');
    const sessions = await service.ask<SessionsResponse>('sessions?limit=1000');
    expect(sum(minutes.tools.map((row) => row.calls))).toBe(ledger.size);
    expect(sum(hours.tools.map((row) => row.calls))).toBe(ledger.size);
    expect(sum(sessions.sessions.map((row) => row.calls))).toBe(ledger.size);
    expect(sum(minutes.tools.map((row) => row.errors))).toBe(ledger.size / 10);
    expect(sum(hours.tools.map((row) => row.errors))).toBe(ledger.size / 10);
    expect(sum(sessions.sessions.map((row) => row.errors))).toBe(ledger.size / 10);
  });

  test('the service answers "try again" while its engine is killed, and recovers within five seconds', async () => {
    const [engine = 0] = listChildProcesses(service.pid);
    const before = (await service.ask<SummaryResponse>('summary')).totals.calls;
    const watch = startStopwatch(service.pid);
    process.kill(engine, 'SIGKILL');
    const killedAt = Date.now();
    const statuses = new Set<number>();
    let asked = 0;
    await until(
      async () => {
        asked += 1;
        // Each time for another name: what was answered before the kill is no sign of health.
        const response = await fetch(`${service.base}/api/v1/summary?tool=probe_${asked}`, {
          signal: AbortSignal.timeout(10_000),
        });
        statuses.add(response.status);
        return response.status === 200 && Date.now() - killedAt > 100 ? true : undefined;
      },
      { withinMs: 60_000, everyMs: 20 },
    );
    expect(watch.elapsedMs()).toBeLessThan(5_000);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect((await service.ask<SummaryResponse>('summary')).totals.calls).toBe(before);

    const request = createRequest(9, 1);
    expect((await service.post(request.body)).status).toBe(200);
    await waitUntilDrained(service);
    expect((await service.ask<SummaryResponse>('summary')).totals.calls).toBe(before + SPANS_PER_REQUEST);
  });
});
