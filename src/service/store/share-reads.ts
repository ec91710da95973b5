// Shares reads between queries: the queries of a page use the same windows, definitions and evidence, and two
// open pages repeat all of them. An identical statement with identical parameters runs once at a time, and
// its rows are kept until a write of this process changes what it reads. If another process may write too,
// rows are kept for ten times their duration at most: cheap reads are repeated soon, and expensive ones use
// at most a tenth of the engine, whatever the number of clients.

import type { TimeRange } from '../../contract/time-range.ts';
import type { Store } from './store.ts';
import { describeInsert, type WrittenData } from './written-data.ts';

/** What is shared. */
type SharedReader = Pick<Store, 'query'>;

export interface SharedReads extends SharedReader {
  /** Discards cached and running reads of the written data; all reads if it is unknown. */
  invalidate(written?: WrittenData): void;
}

export interface ReadSharingOptions {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** Nothing is kept for longer, in milliseconds. */
  readonly maxAgeMs: number;
  /** Whether all writes are reported to `invalidate`. */
  readonly isOnlyWriter?: boolean;
}

/** Beyond so many the oldest go. */
const MAX_CACHED_READS = 300;
/** Longer results, such as pages of calls, are rarely read again and are not worth their memory. */
const MAX_KEPT_ROWS = 2_000;
const AGE_PER_COST = 10;

interface CachedRead {
  readonly row: unknown;
  readonly rows: Promise<unknown[]>;
  readonly tables: ReadonlySet<string>;
  readonly callRange: TimeRange | undefined;
  /** Infinity while it runs. */
  expiresMs: number;
}

/**
 * @returns a reader whose arrays belong to the caller; the rows in them are shared and must not be changed
 */
export function shareReads(
  reader: SharedReader,
  { clock, maxAgeMs, isOnlyWriter = false }: ReadSharingOptions,
): SharedReads {
  const cache = new Map<string, CachedRead>();

  function drop(key: string, entry: CachedRead): void {
    if (cache.get(key) === entry) cache.delete(key);
  }

  function startRead<T>(query: Parameters<typeof reader.query<T>>[0], key: string): Promise<unknown[]> {
    const startedMs = clock();
    const entry: CachedRead = {
      row: query.row,
      rows: reader.query<T>(query),
      tables: listTables(query.sql),
      callRange: query.callRange,
      expiresMs: Number.POSITIVE_INFINITY,
    };
    cache.set(key, entry);
    entry.rows.then(
      (rows) => {
        const nowMs = clock();
        const costMs = nowMs - startedMs;
        const isKept = isOnlyWriter && rows.length <= MAX_KEPT_ROWS;
        entry.expiresMs = nowMs + (isKept ? maxAgeMs : Math.min(maxAgeMs, costMs * AGE_PER_COST));
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
    invalidate(written) {
      for (const [key, entry] of cache)
        if (written === undefined || isChangedBy(written, entry)) cache.delete(key);
    },
  };
}

/** The words after FROM and JOIN; other words than table names match no write. */
function listTables(sql: string): ReadonlySet<string> {
  return new Set([...sql.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/gi)].map(([, name = '']) => name));
}

function isChangedBy({ tables, started }: WrittenData, { tables: read, callRange }: CachedRead): boolean {
  if (!tables.some((table) => read.has(table))) return false;
  if (started === undefined || callRange === undefined) return true;
  return started.fromMs < callRange.toMs && callRange.fromMs < started.toMs;
}

/** Wraps the store to report writes, including failed ones, which may be partially stored. */
export function withWriteListener(store: Store, onWritten: (written?: WrittenData) => void): Store {
  return {
    ...store,
    insert: (table, ndjson, token) =>
      store.insert(table, ndjson, token).finally(() => onWritten(describeInsert(table, ndjson))),
    command: (sql) => store.command(sql).finally(() => onWritten()),
  };
}

/** Numbers of 64 bits are parameters too, and JSON has none. */
function toJsonValue(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
