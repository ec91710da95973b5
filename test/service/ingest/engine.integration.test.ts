// The rows against the real engine and the real schema: every column is there and reads back as it was meant, a batch that
// is sent twice counts once, and what the store knows answers the look-ups.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { findStoredCalls } from '../../../src/service/store/find-stored-calls.ts';
import { createBatchSink } from '../../../src/service/store/insert-batch.ts';
import { readRecentCallKeys } from '../../../src/service/store/read-recent.ts';
import { startTestEngine, type TestEngine } from '../../support/engine.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { startIngestHarness, until } from './harness.ts';
import { toJson, toolCall, toSpanId } from './otlp-document.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine.stop());

const Row = z.object({
  span_id: z.string(),
  started_at: z.string(),
  ingested_at: z.string(),
  duration_us: z.number(),
  keyed: z.number(),
  ingest_seq: z.number(),
});

test('each acknowledged call can be read from the store exactly once, after repeats of every kind', async () => {
  const store = createBatchSink(engine.store);
  let attempts = 0;
  const options = {
    // A clock near the real one: the schema forgets by the engine's own.
    clock: new FakeClock(Date.now()),
    findStoredCalls: (
      keys: Parameters<typeof findStoredCalls<{ traceId: string; spanId: string; startedAtUs: number }>>[1],
    ) => findStoredCalls(engine.store, keys),
    readRecentCallKeys: (query: Parameters<typeof readRecentCallKeys>[1]) =>
      readRecentCallKeys(engine.store, query),
    sink: {
      async insert(batch: Parameters<typeof store.insert>[0]) {
        const result = await store.insert(batch);
        // The first time the answer is lost on the way, though all was stored.
        return attempts++ === 0 ? { status: 'retryable' as const, reason: 'no answer' } : result;
      },
    },
  };
  const harness = await startIngestHarness(options);
  const now = harness.clock.now();
  const spans = [
    toolCall(1, now - 2_000, {
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'search',
        'gen_ai.tool.call.arguments': '{"query":"x"}',
      },
    }),
    toolCall(2, now - 90 * 60_000),
    toolCall(4, now - 1_000, {
      scope: 'toolscope',
      attributes: {
        'mcp.method.name': 'tools/list',
        'toolscope.catalogue.hash': '0123456789abcdef',
        'toolscope.catalogue.tools': '[{"name":"search","inputSchema":{"type":"object"}}]',
      },
    }),
  ];
  expect((await harness.post(toJson(spans))).status).toBe(200);
  await harness.clock.advance(500);
  await until(async () => {
    await harness.clock.advance(100);
    return harness.ingest.pendingCalls === 0;
  });
  expect(attempts).toBe(2);
  // A window of its own, which has to learn everything from the store.
  const other = await startIngestHarness({ ...options, clock: new FakeClock(now) });
  expect((await other.post(toJson([...spans, toolCall(3, now)]))).status).toBe(200);
  await other.ingest.close();
  const rows = await engine.store.query({
    sql: `SELECT span_id, toString(started_at) AS started_at, toString(ingested_at) AS ingested_at, duration_us,
      toUInt8(arguments_fingerprint != 0 AND argument_fingerprints['query'] != 0) AS keyed, ingest_seq
      FROM calls ORDER BY span_id`,
    row: Row,
  });
  const instant = (ms: number) => new Date(ms).toISOString().slice(0, 23).replace('T', ' ');
  expect(rows).toEqual([
    {
      span_id: toSpanId(1),
      started_at: `${instant(now - 2_000)}000`,
      ingested_at: instant(now),
      duration_us: 5_000,
      keyed: 1,
      ingest_seq: 1,
    },
    expect.objectContaining({ span_id: toSpanId(2), keyed: 0, ingest_seq: 2 }),
    expect.objectContaining({ span_id: toSpanId(3), ingest_seq: 1 }),
    expect.objectContaining({ span_id: toSpanId(4), ingest_seq: 3 }),
  ]);
  const tools = await engine.store.query({
    sql: 'SELECT tool_name, sum(listings) AS listings, toString(min(definition_hash)) AS hash FROM tools GROUP BY tool_name',
    row: z.object({ tool_name: z.string(), listings: z.number(), hash: z.string() }),
  });
  expect(tools).toEqual([{ tool_name: 'search', listings: 1, hash: expect.stringMatching(/^[1-9]\d+$/) }]);
  await harness.end();
  await other.end();
});
