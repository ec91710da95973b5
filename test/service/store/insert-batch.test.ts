// Finding the bad rows of a batch against a store that forgets nothing but may change its mind: whatever happens between
// two attempts, no row is stored twice. The engine's own behaviour is in store.integration.test.ts.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UpstreamError } from '../../../src/errors.ts';
import type { SplitRecord } from '../../../src/service/ingest/batch-sink.ts';
import { createBatchSink } from '../../../src/service/store/insert-batch.ts';
import { splitByDays } from '../../../src/service/store/split-by-days.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const toRows = (ids: readonly number[]): Buffer => Buffer.from(ids.map((id) => `{"id":${id}}\n`).join(''));
const toIds = (rows: Uint8Array): number[] =>
  Buffer.from(rows)
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).id);

/** Remembers tokens as the engine does; refuses what holds a bad row. */
class ModelStore {
  readonly tokens = new Set<string>();
  readonly stored: number[] = [];
  bad = new Set<number>();
  /** Inserts until the connection breaks: after the rows were stored, and before anybody is told. */
  left = Number.POSITIVE_INFINITY;

  asStore(): Store {
    const insert = async (_table: string, rows: Uint8Array, token: string): Promise<void> => {
      if (this.left-- <= 0) throw unreachable();
      const ids = toIds(rows);
      if (this.tokens.has(token)) return;
      if (ids.some((id) => this.bad.has(id)))
        throw new UpstreamError('STORE_REJECTED', 'bad row', { retryable: false });
      this.tokens.add(token);
      this.stored.push(...ids);
      if (this.left === 0) throw unreachable();
    };
    // The sink uses nothing else of it.
    return { insert } as unknown as Store;
  }
}

function unreachable(): UpstreamError {
  return new UpstreamError('STORE_UNAVAILABLE', 'gone', { retryable: true });
}

class RecordedSplits implements SplitRecord {
  readonly tokens: string[] = [];
  has = (token: string): boolean => this.tokens.includes(token);
  add = async (token: string): Promise<void> => void this.tokens.push(token);
}

const IDS = Array.from({ length: 32 }, (_, id) => id);

describe('batch with bad rows', () => {
  test('a batch is stored once except for its bad rows, even if the store refuses other rows after a crash', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 5 }),
        fc.array(
          fc.record({
            crashAfter: fc.nat(20),
            bad: fc.uniqueArray(fc.constantFrom(...IDS), { maxLength: 5 }),
          }),
          { maxLength: 4 },
        ),
        async (bad, crashes) => {
          const model = new ModelStore();
          const splits = new RecordedSplits();
          const sink = createBatchSink(model.asStore());
          const batch = { token: 'b', tables: [{ table: 'calls', rows: toRows(IDS) }], splits };
          model.bad = new Set(bad);
          for (const crash of crashes) {
            model.left = crash.crashAfter;
            await sink.insert(batch);
            model.bad = new Set(crash.bad);
          }
          model.left = Number.POSITIVE_INFINITY;
          const result = await sink.insert(batch);
          const refused =
            result.status === 'refused' ? (result.refused ?? []).flatMap(({ rows }) => toIds(rows)) : [];
          expect([...model.stored, ...refused].sort((a, b) => a - b)).toEqual(IDS);
        },
      ),
      { numRuns: propertyRuns({ quick: 100, full: 400 }) },
    );
  });

  test('a batch is split only after the split was recorded', async () => {
    const model = new ModelStore();
    model.bad = new Set([3]);
    const seen: string[] = [];
    const splits: SplitRecord = {
      has: () => false,
      add: async (token) => {
        await null;
        seen.push(`split ${token}`);
      },
    };
    const store = model.asStore();
    const insert: Store['insert'] = (table, rows, token) => {
      seen.push(`send ${token}`);
      return store.insert(table, rows, token);
    };
    const rows = toRows([1, 2, 3]);
    await createBatchSink({ ...store, insert }).insert({
      token: 'b',
      tables: [{ table: 't', rows }],
      splits,
    });
    expect(seen).toEqual(['send b-t', 'split b-t', 'send b-t-0-2-of-3', 'send b-t-2-3-of-3']);
  });

  test('no part of a batch is inserted if its split cannot be recorded', async () => {
    const model = new ModelStore();
    model.bad = new Set([3]);
    const splits: SplitRecord = { has: () => false, add: () => Promise.reject(new Error('ENOSPC')) };
    const batch = { token: 'b', tables: [{ table: 't', rows: toRows([1, 2, 3]) }], splits };
    await expect(createBatchSink(model.asStore()).insert(batch)).rejects.toThrow('ENOSPC');
    expect(model.stored).toEqual([]);
  });
});

describe('batch of many days', () => {
  const row = (day: number, extra = ''): string =>
    `{${extra}"started_at":"${new Date(day * 86_400_000).toISOString().slice(0, 10)} 00:00:00.000000","attributes":{"started_at":"x${day}"}}\n`;
  const toLines = (rows: Uint8Array): string[] =>
    Buffer.from(rows)
      .toString()
      .split(/(?<=\n)/);

  test('a batch of no more days than the limit is not split', () => {
    const rows = Buffer.from(Array.from({ length: 45 }, (_, day) => row(day)).join(''));
    expect(splitByDays(rows)).toEqual([{ suffix: '', rows }]);
  });

  test('a batch of many days is always split into the same parts of few days, with each row in one part', () => {
    const lines = Array.from({ length: 600 }, (_, at) => row((at * 11) % 250, `"n":${at},`));
    const parts = splitByDays(Buffer.from(lines.join('')));
    expect(parts.map(({ suffix }) => suffix)).toEqual([
      '-days-0-90-of-250',
      '-days-90-180-of-250',
      '-days-180-250-of-250',
    ]);
    expect(parts.flatMap(({ rows }) => toLines(rows)).sort()).toEqual([...lines].sort());
    for (const { rows } of parts)
      expect(
        new Set(toLines(rows).map((line) => /\d{4}-\d\d-\d\d/.exec(line)?.[0])).size,
      ).toBeLessThanOrEqual(90);
    expect(splitByDays(Buffer.from(lines.join('')))).toEqual(parts);
  });

  test('a row without a day is put into one of the parts', () => {
    const lines = [...Array.from({ length: 120 }, (_, day) => row(day)), 'not json\n'];
    const parts = splitByDays(Buffer.from(lines.join('')));
    expect(parts.map(({ rows }) => toLines(rows).length)).toEqual([90, 31]);
    expect(toLines(parts[0]?.rows ?? Buffer.alloc(0))).toContain('not json\n');
  });
});
