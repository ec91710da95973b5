// One read for several questions: those of one page ask for the same windows, definitions and evidence, and a page that is open
// twice asks everything twice. The same statement with the same parameters is asked once while it runs, and its rows are
// held for as long as it took, times ten: what costs little is asked anew at once, and what costs much takes at most a
// tenth of the engine, however many look. After a write of this process nothing from before is answered.

import type { Store } from './store/store.ts';

/** What is shared. */
type Reader = Pick<Store, 'query'>;

export interface SharedReads extends Reader {
  /** What is held, and what runs, is for nobody any more. */
  forget(): void;
}

export interface ReadSharing {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** Nothing is held for longer, in milliseconds. */
  readonly holdAtMostMs: number;
}

/** Rows are a page of a list at most; beyond so many the oldest go. */
const MOST_HELD = 300;
const HELD_TIMES_COST = 10;

interface Held {
  readonly row: unknown;
  readonly rows: Promise<unknown[]>;
  /** Infinity while it runs. */
  untilMs: number;
}

/** @returns a reader whose arrays are each asker's own; the rows in them are shared and must not be changed */
export function shareReads(reader: Reader, { clock, holdAtMostMs }: ReadSharing): SharedReads {
  const held = new Map<string, Held>();

  function drop(key: string, entry: Held): void {
    if (held.get(key) === entry) held.delete(key);
  }

  function ask<T>(query: Parameters<typeof reader.query<T>>[0], key: string): Promise<unknown[]> {
    const startedMs = clock();
    const entry: Held = { row: query.row, rows: reader.query<T>(query), untilMs: Number.POSITIVE_INFINITY };
    held.set(key, entry);
    entry.rows.then(
      () => {
        const nowMs = clock();
        entry.untilMs = nowMs + Math.min(holdAtMostMs, (nowMs - startedMs) * HELD_TIMES_COST);
      },
      () => drop(key, entry),
    );
    prune();
    return entry.rows;
  }

  function prune(): void {
    const nowMs = clock();
    for (const [key, { untilMs }] of held) if (untilMs <= nowMs || held.size > MOST_HELD) held.delete(key);
  }

  return {
    async query<T>(query: Parameters<typeof reader.query<T>>[0]): Promise<T[]> {
      const key = JSON.stringify([query.sql, query.params, query.maxSeconds], toText);
      const known = held.get(key);
      const isHeld = known !== undefined && known.row === query.row && known.untilMs > clock();
      // Rows that were read by the same schema.
      return [...((await (isHeld ? known.rows : ask(query, key))) as T[])];
    },
    forget: () => held.clear(),
  };
}

/** The store, which says when it was written to: also after a write that failed, of which a part may be there. */
export function announceWrites(store: Store, onWritten: () => void): Store {
  return {
    ...store,
    insert: (table, ndjson, token) => store.insert(table, ndjson, token).finally(onWritten),
    command: (sql) => store.command(sql).finally(onWritten),
  };
}

/** Numbers of 64 bits are parameters too, and JSON has none. */
function toText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
