// Shares reads between queries: the queries of a page use the same windows, definitions and evidence, and two
// open pages repeat all of them. An identical statement with identical parameters runs once at a time, and
// its rows are cached for ten times its duration: cheap reads are repeated soon, and expensive ones use at
// most a tenth of the engine, whatever the number of clients. A write by this process invalidates the cache.

import type { Store } from './store.ts';

/** What is shared. */
type SharedReader = Pick<Store, 'query'>;

export interface SharedReads extends SharedReader {
  /** Discards cached and running reads. */
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

/**
 * @returns a reader whose arrays belong to the caller; the rows in them are shared and must not be changed
 */
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

/** Wraps the store to report writes, including failed ones, which may be partially stored. */
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
