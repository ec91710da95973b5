// Reads that several questions share: asked once while they run, held for a multiple of what they cost, never after a write.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { shareReads, withWriteListener } from '../../../src/service/store/share-reads.ts';

const Row = z.object({ n: z.number() });
const QUERY = { sql: 'SELECT 1 AS n', params: { server: 'notes' }, row: Row };

/** A reader that answers when it is told to, and a clock that stands still. */
function createSharedReader(options: { readonly isOnlyWriter?: boolean } = {}) {
  const asked: { sql: string; answer: (rows: unknown[]) => void; fail: (error: Error) => void }[] = [];
  let nowMs = 1_000;
  const reads = shareReads(
    {
      query: <T>({ sql }: { readonly sql: string }) =>
        new Promise<T[]>((resolve, reject) => {
          // The test answers rows of the schema it asked with.
          asked.push({ sql, answer: (rows) => resolve(rows as T[]), fail: reject });
        }),
    },
    { clock: () => nowMs, maxAgeMs: 3_000, ...options },
  );
  const pass = (ms: number) => {
    nowMs += ms;
  };
  /** Asks, lets the time pass that it takes, and answers. */
  const askFor = async (tookMs: number, n = 1) => {
    const rows = reads.query(QUERY);
    pass(tookMs);
    asked.at(-1)?.answer([{ n }]);
    return rows;
  };
  return { asked, reads, pass, askFor };
}

describe('shared reads', () => {
  test('reads whose 64-bit parameters differ only in the last digit are not shared', async () => {
    const { asked, reads } = createSharedReader();
    const of = (hash: bigint) => reads.query({ ...QUERY, params: { hashes: [hash] } });
    const all = Promise.all([of(18_446_744_073_709_551_614n), of(18_446_744_073_709_551_615n)]);
    expect(asked).toHaveLength(2);
    for (const { answer } of asked) answer([]);
    expect(await all).toEqual([[], []]);
  });

  test('identical reads run once while the first is in progress', async () => {
    const { asked, reads } = createSharedReader();
    const both = Promise.all([reads.query(QUERY), reads.query(QUERY)]);
    expect(asked).toHaveLength(1);
    asked[0]?.answer([{ n: 7 }]);
    expect(await both).toEqual([[{ n: 7 }], [{ n: 7 }]]);
  });

  test.each([
    { tookMs: 20, laterMs: 199, times: 1, because: 'twenty milliseconds are held for two hundred' },
    { tookMs: 20, laterMs: 200, times: 2, because: 'what costs little is soon asked anew' },
    { tookMs: 900, laterMs: 2_999, times: 1, because: 'what costs much is held' },
    { tookMs: 900, laterMs: 3_000, times: 2, because: 'nothing is held for more than three seconds' },
  ])(
    'a read that took $tookMs ms is run $times times within $laterMs ms: $because',
    async ({ tookMs, laterMs, times }) => {
      const { asked, reads, pass, askFor } = createSharedReader();
      await askFor(tookMs);
      pass(laterMs);
      void reads.query(QUERY);
      expect(asked).toHaveLength(times);
    },
  );

  test.each([
    { other: { ...QUERY, sql: 'SELECT 2 AS n' }, because: 'another statement' },
    { other: { ...QUERY, params: { server: 'files' } }, because: 'another parameter' },
    { other: { ...QUERY, row: z.object({ n: z.number() }) }, because: 'rows of another schema' },
  ])('a read is not shared with $because', async ({ other }) => {
    const { asked, reads, askFor } = createSharedReader();
    await askFor(500);
    void reads.query(other);
    expect(asked).toHaveLength(2);
  });

  test('reads run again after a write, including those in progress during the write', async () => {
    const { asked, reads, askFor } = createSharedReader();
    await askFor(500);
    const before = reads.query(QUERY);
    reads.invalidate();
    void reads.query(QUERY);
    expect(asked).toHaveLength(2);
    reads.invalidate();
    void reads.query(QUERY);
    expect(asked).toHaveLength(3);
    expect(await before).toEqual([{ n: 1 }]);
  });

  test.each([
    { rows: 2_000, laterMs: 2_999, times: 1, because: 'every write is announced' },
    { rows: 2_000, laterMs: 3_000, times: 2, because: 'nothing is kept for longer than that' },
    { rows: 2_001, laterMs: 20, times: 2, because: 'a long result is not worth its memory' },
  ])(
    'the only writer reads $rows rows that took 2 ms $times times within $laterMs ms: $because',
    async ({ rows, laterMs, times }) => {
      const { asked, reads, pass } = createSharedReader({ isOnlyWriter: true });
      const first = reads.query(QUERY);
      pass(2);
      asked[0]?.answer(Array.from({ length: rows }, (_, n) => ({ n })));
      await first;
      pass(laterMs);
      void reads.query(QUERY);
      expect(asked).toHaveLength(times);
    },
  );

  const calls = (fromMs: number, toMs: number) => ({
    tables: ['calls', 'tool_minutes'],
    started: { fromMs, toMs },
  });

  test.each([
    ['SELECT 1 AS n FROM loops FINAL', undefined, calls(0, 9), 1, 'another table'],
    ['SELECT 1 AS n FROM tool_minutes', undefined, calls(0, 9), 2, 'its rollup changed'],
    [
      'SELECT 1 AS n FROM (SELECT 1 FROM tools) LEFT JOIN calls USING (a)',
      undefined,
      calls(0, 9),
      2,
      'a joined table',
    ],
    [
      'SELECT 1 AS n FROM tool_minutes',
      { fromMs: 10, toMs: 20 },
      calls(0, 10),
      1,
      'the calls began before its range',
    ],
    [
      'SELECT 1 AS n FROM tool_minutes',
      { fromMs: 10, toMs: 20 },
      calls(20, 30),
      1,
      'the calls began after its range',
    ],
    [
      'SELECT 1 AS n FROM tool_minutes',
      { fromMs: 10, toMs: 20 },
      calls(0, 10.001),
      2,
      'a late call began in its range',
    ],
    [
      'SELECT 1 AS n FROM tool_minutes',
      { fromMs: 10, toMs: 20 },
      { tables: ['tool_minutes'] },
      2,
      'the time of the calls is unknown',
    ],
    ['SELECT 1 AS n FROM loops FINAL', { fromMs: 10, toMs: 20 }, undefined, 2, 'anything may have changed'],
  ])(
    '%s over %o runs, after a write of %o, %i time(s): %s',
    async (sql, callRange, written, times, _because) => {
      const { asked, reads } = createSharedReader({ isOnlyWriter: true });
      const query = { ...QUERY, sql, ...(callRange && { callRange }) };
      void reads.query(query);
      reads.invalidate(written);
      void reads.query(query);
      expect(asked).toHaveLength(times);
    },
  );

  test('a failed read fails for all its waiters, and the next one runs again', async () => {
    const { asked, reads } = createSharedReader();
    const both = [reads.query(QUERY), reads.query(QUERY)];
    asked[0]?.fail(new Error('gone'));
    for (const one of both) await expect(one).rejects.toThrow('gone');
    void reads.query(QUERY);
    expect(asked).toHaveLength(2);
  });

  test('each reader of a shared read gets a list of its own', async () => {
    const { reads, askFor } = createSharedReader();
    const first = await askFor(500);
    first.reverse();
    first.pop();
    expect(await reads.query(QUERY)).toEqual([{ n: 1 }]);
  });
});

describe('write notification', () => {
  const unused = () => Promise.reject(new Error('not asked in this test'));
  const store = (write: () => Promise<void>) => ({
    ...{ database: 'toolscope', query: unused, createDatabase: unused, ping: unused, close: unused },
    ...{ insert: write, command: write },
  });

  test.each([
    ['that was taken', () => Promise.resolve()],
    ['that failed, for a part of it may be there', () => Promise.reject(new Error('reset'))],
  ])('a write %s is announced once it is over', async (_how, write) => {
    const said: string[] = [];
    const announced = withWriteListener(store(write), () => said.push('written'));
    await announced.insert('calls', new Uint8Array(), 'token').catch(() => said.push('failed'));
    await announced.command('TRUNCATE TABLE calls').catch(() => said.push('failed'));
    expect(said.filter((word) => word === 'written')).toHaveLength(2);
    expect(said[0]).toBe('written');
  });
});
