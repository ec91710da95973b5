// Questions that ask for too much, or too many of them: each is told so, and what writes goes on. With a real engine.
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { EMBEDDED_READ_CONCURRENCY, limitReads } from '../../../src/service/store/limit-reads.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';

const Row = z.looseObject({});
const WAIT_LIMIT = { timeout: 20_000 };

describe('limitReads', () => {
  /** A store whose answers come when the test says so. */
  function openStore() {
    const running: (() => void)[] = [];
    let most = 0;
    return {
      running,
      most: () => most,
      query: <T>(): Promise<T[]> =>
        new Promise((resolve) => {
          running.push(() => resolve([]));
          most = Math.max(most, running.length);
        }),
    };
  }
  const pace = { maxConcurrent: 3, maxWaiting: 2, maxWaitMs: 60_000 };
  const ask = (reader: ReturnType<typeof limitReads>) => reader.query({ sql: 'SELECT 1', row: Row });

  test('three reads run, two wait and the sixth is refused', async () => {
    const store = openStore();
    const reader = limitReads(store, pace);
    const answers = Array.from({ length: 5 }, () => ask(reader));
    await expect(ask(reader)).rejects.toMatchObject({ code: 'STORE_BUSY', retryable: true });
    expect(store.running).toHaveLength(3);
    for (let answered = 0; answered < 5; answered += 1) {
      await vi.waitFor(() => expect(store.running.length).toBeGreaterThan(0), WAIT_LIMIT);
      store.running.shift()?.();
    }
    expect(await Promise.all(answers)).toHaveLength(5);
    expect(store.most()).toBe(3);
    const again = ask(reader);
    await vi.waitFor(() => expect(store.running).toHaveLength(1), WAIT_LIMIT);
    store.running.shift()?.();
    expect(await again).toEqual([]);
  });

  test('a read that waited too long is refused, and the others keep their place', async () => {
    const store = openStore();
    const reader = limitReads(store, { ...pace, maxConcurrent: 1, maxWaitMs: 20 });
    const first = ask(reader);
    await expect(ask(reader)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    store.running.shift()?.();
    expect(await first).toEqual([]);
    const next = ask(reader);
    await vi.waitFor(() => expect(store.running).toHaveLength(1), WAIT_LIMIT);
    store.running.shift()?.();
    expect(await next).toEqual([]);
  });

  test('cheap reads go first, but no read is overtaken for longer than it takes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const started: string[] = [];
    const finish: (() => void)[] = [];
    const reader = limitReads(
      {
        query: <T>({ sql }: { sql: string }) =>
          new Promise<T[]>((resolve) => {
            started.push(sql);
            finish.push(() => resolve([]));
          }),
      },
      { maxConcurrent: 1, maxWaiting: 9, maxWaitMs: 60_000 },
    );
    const asks: Promise<unknown>[] = [];
    const askFor = (sql: string) => asks.push(reader.query({ sql, row: Row }));
    const take = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      finish.shift()?.();
      await vi.advanceTimersByTimeAsync(0);
    };
    for (const [sql, ms] of [
      ['dear', 900],
      ['cheap', 10],
    ] as const) {
      askFor(sql);
      await take(ms);
    }
    started.length = 0;
    for (const sql of ['first', 'dear', 'cheap', 'new']) askFor(sql);
    await take(890);
    askFor('cheap');
    await take(20);
    askFor('cheap');
    for (let left = 0; left < 5; left += 1) await take(1);
    await Promise.all(asks);
    expect(started).toEqual(['first', 'new', 'cheap', 'dear', 'cheap', 'cheap']);
  });

  test('the slot of a failed read is given to the next one', async () => {
    const failing = { query: () => Promise.reject(new Error('broken')) };
    const reader = limitReads(failing, { ...pace, maxConcurrent: 1 });
    for (let n = 0; n < 5; n += 1) await expect(ask(reader)).rejects.toThrow('broken');
  });
});

describe('reads on the engine', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine();
    await engine.store.command('CREATE TABLE written (n UInt64) ENGINE = MergeTree ORDER BY n');
  });
  afterAll(() => engine?.stop());

  test.each([
    ['SELECT groupArray(number) AS a FROM numbers(200000000) GROUP BY number % 2', 'its memory'],
    ['SELECT count() AS n FROM numbers(600000000)', 'the rows that it reads'],
  ])('the query %s is refused because %s are bounded, and the next query is answered', async (sql) => {
    const reader = limitReads(engine.store, EMBEDDED_READ_CONCURRENCY);
    await expect(reader.query({ sql, row: Row })).rejects.toMatchObject({ code: 'QUERY_TOO_LARGE' });
    expect(await reader.query({ sql: 'SELECT 1 AS one', row: Row })).toEqual([{ one: 1 }]);
  });

  test('reads do not delay inserts, however many run', async () => {
    const reader = limitReads(engine.store, EMBEDDED_READ_CONCURRENCY);
    // Longer than this test may take, whatever the machine: the engine is ended over those that run.
    const sql =
      'SELECT sum(sleepEachRow(1)) AS s FROM (SELECT number FROM numbers(100) SETTINGS max_block_size = 1)';
    let over = 0;
    for (let asked = 0; asked < 12; asked += 1)
      void reader
        .query({ sql, row: Row, maxSeconds: 100 })
        .catch(() => undefined)
        .finally(() => {
          over += 1;
        });
    for (let n = 0; n < 10; n += 1) await insertRows(engine.store, 'written', [{ n }]);
    // What the ingest reads has a connection of its own too.
    const [{ n } = { n: 0 }] = await engine.store.query({
      sql: 'SELECT count() AS n FROM written',
      row: z.object({ n: z.number() }),
    });
    expect(n).toBe(10);
    expect(over).toBeLessThanOrEqual(12 - EMBEDDED_READ_CONCURRENCY.maxConcurrent);
  });
});
