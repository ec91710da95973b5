// A round over several servers: one that cannot be looked at does not stop the others, and an end stops what has not begun.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatDateTime64 } from '../../../../src/core/values/date-time64.ts';
import { toCallRow } from '../../../../src/service/ingest/rows.ts';
import { runAdviceJob } from '../../../../src/service/queries/advice/run-advice-job.ts';
import type { StoreReader } from '../../../../src/service/store/store.ts';
import { startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { exampleCall } from '../../ingest/example-call.ts';

/** A store that knows the names of servers and nothing else of them. */
function createServerStore(
  servers: readonly string[],
  { broken = '', onRead = (_: string): void => undefined },
) {
  const store: StoreReader = {
    async query<Row>({ sql, params = {} }: { readonly sql: string; readonly params?: object }) {
      const asked = new Map(Object.entries(params)).get('server');
      if (!sql.includes('sum(n) DESC')) {
        if (typeof asked === 'string') onRead(asked);
        if (asked === broken) throw new Error('gone away');
        return [];
      }
      // The only read that has rows here is the one of names.
      return servers.map((server) => ({ server })) as Row[];
    },
  };
  return store;
}

const NOW = 1_794_873_600_000;
const run = (store: StoreReader, signal = new AbortController().signal) => {
  const writer = { insert: async () => undefined };
  return runAdviceJob({ context: { store, writer, nowMs: NOW, rawDays: 30 }, signal, lastRunMs: 0 });
};

describe('runAdviceJob', () => {
  test('an advice run evaluates every server, and counts those that failed', async () => {
    const read = new Set<string>();
    const store = createServerStore(['billing', 'shop', 'tickets'], {
      broken: 'shop',
      onRead: (name) => read.add(name),
    });
    expect(await run(store)).toEqual({ servers: 3, failed: 1, findings: 0 });
    expect([...read]).toEqual(['billing', 'shop', 'tickets']);
  });

  test('an advice run starts no further server once the service is closing', async () => {
    const signal = new AbortController();
    const read = new Set<string>();
    const store = createServerStore(['billing', 'shop'], {
      onRead(name) {
        read.add(name);
        signal.abort();
      },
    });
    expect(await run(store, signal.signal)).toEqual({ servers: 2, failed: 0, findings: 0 });
    expect([...read]).toEqual(['billing']);
  });

  test('an advice run fails if the servers cannot be listed', async () => {
    const store: StoreReader = {
      async query() {
        throw new Error('gone away');
      },
    };
    await expect(run(store)).rejects.toThrow('gone away');
  });
});

describe('runAdviceJob with a store', () => {
  const HOUR_MS = 3_600_000;
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine();
  });
  afterAll(() => engine.stop());

  test('an advice run evaluates only servers with new data since the last run', async () => {
    const nowMs = Date.now();
    const rowOf = (serverName: string, at: number, agoMs: number): string => {
      const ingestedAt = formatDateTime64((nowMs - agoMs) * 1_000).slice(0, -3);
      // As old as each other: when they came is what counts.
      const call = exampleCall({
        serverName,
        spanId: String(at).repeat(16),
        startedAtUs: (nowMs - 5 * HOUR_MS) * 1_000,
      });
      return toCallRow(call, { ingestNode: 'n', ingestSeq: at, ingestedAt });
    };
    const rows = rowOf('quiet', 1, 4 * HOUR_MS) + rowOf('called', 2, HOUR_MS / 2);
    await engine.store.insert('calls', Buffer.from(rows), 'two-servers');
    const read = new Set<unknown>();
    const store: StoreReader = {
      query(query) {
        const server = new Map(Object.entries(query.params ?? {})).get('server');
        if (server !== undefined) read.add(server);
        return engine.store.query(query);
      },
    };
    const context = { store, writer: { insert: async () => undefined }, nowMs, rawDays: 30 };
    const round = { context, signal: new AbortController().signal };
    expect(await runAdviceJob({ ...round, lastRunMs: nowMs - HOUR_MS })).toMatchObject({
      servers: 1,
      failed: 0,
    });
    expect([...read]).toEqual(['called']);
    expect(await runAdviceJob({ ...round, lastRunMs: 0 })).toMatchObject({ servers: 2, failed: 0 });
  });
});
