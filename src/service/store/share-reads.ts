// One read for several questions: those of one page ask for the same windows, definitions and evidence, and a page that is open
// twice asks everything twice. The same statement with the same parameters is asked once while it runs, and its rows are
// held for as long as it took, times ten: what costs little is asked anew at once, and what costs much takes at most a
// tenth of the engine, however many look. After a write of this process nothing from before is answered.

import type { Store } from './store.ts';

/** What is shared. */
type SharedReader = Pick<Store, 'query'>;

export interface SharedReads extends SharedReader {
  /** What is held, and what runs, is for nobody any more. */
  invalidate(): void;
}

export interface ReadSharingOptions {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** Nothing is held for longer, in milliseconds. */
  readonly maxAgeMs: number;
}

/** Rows are a page of a list at most; beyond so many the oldest go. */
const MAX_CACHED_READS = 300;
const AGE_PER_COST = 10;

interface CachedRead {
  readonly row: unknown;
  readonly rows: Promise<unknown[]>;
  /** Infinity while it runs. */
  expiresMs: number;
}

/** @returns a reader whose arrays are each asker's own; the rows in them are shared and must not be changed */
export function shareReads(reader: SharedReader, { clock, maxAgeMs }: ReadSharingOptions): SharedReads {
  const cache = new Map<string, CachedRead>();

  function drop(key: string, entry: CachedRead): void {
    if (cache.get(key) === entry) cache.delete(key);
  }

  function startRead<T>(query: Parameters<typeof reader.query<T>>[0], key: string): Promise<unknown[]> {
    const startedMs = clock();
    const entry: CachedRead = {
      row: query.row,
      rows: reader.query<T>(query),
      expiresMs: Number.POSITIVE_INFINITY,
    };
    cache.set(key, entry);
    entry.rows.then(
      () => {
        const nowMs = clock();
        entry.expiresMs = nowMs + Math.min(maxAgeMs, (nowMs - startedMs) * AGE_PER_COST);
      },
      () => drop(key, entry),
    );
    prune();
    return entry.rows;
  }

  function prune(): void {
    const nowMs = clock();
    for (const [key, { expiresMs }] of cache)
      if (expiresMs <= nowMs || cache.size > MAX_CACHED_READS) cache.delete(key);
  }

  return {
    async query<T>(query: Parameters<typeof reader.query<T>>[0]): Promise<T[]> {
      const key = JSON.stringify([query.sql, query.params, query.maxSeconds], toJsonValue);
      const cached = cache.get(key);
      const isFresh = cached !== undefined && cached.row === query.row && cached.expiresMs > clock();
      // Rows that were read by the same schema.
      return [...((await (isFresh ? cached.rows : startRead(query, key))) as T[])];
    },
    invalidate: () => cache.clear(),
  };
}

/** The store, which says when it was written to: also after a write that failed, of which a part may be there. */
export function withWriteListener(store: Store, onWritten: () => void): Store {
  return {
    ...store,
    insert: (table, ndjson, token) => store.insert(table, ndjson, token).finally(onWritten),
    command: (sql) => store.command(sql).finally(onWritten),
  };
}

/** Numbers of 64 bits are parameters too, and JSON has none. */
function toJsonValue(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
