// Ships a sealed batch: every table of it under a token of its own, so that a repeat changes nothing. One bad row makes
// the store refuse all rows beside it; they are then halved until the bad ones stand alone. The halves' tokens follow
// from the batch's token and the row numbers, and what was halved is written down before the first half goes out: a part
// that the store takes after all when it is repeated would count beside its halves.

import { UpstreamError } from '../../errors.ts';
import { splitByDays } from './split-by-days.ts';
import type { Store } from './store.ts';

export interface TableRows {
  readonly table: string;
  /** One JSON object per line. */
  readonly rows: Uint8Array;
}

export interface SealedBatch {
  /** Names exactly these tables and bytes. */
  readonly token: string;
  readonly tables: readonly TableRows[];
  /** Without it, what was halved is forgotten when the process ends. */
  readonly splits?: SplitRecord;
}

/** Tokens of parts that were refused whole, so that only their halves are sent. */
export interface SplitRecord {
  has(token: string): boolean;
  /** Resolves when it is durable. */
  add(token: string): Promise<void>;
}

/** Rows that the store will never take, and why. */
export interface RefusedRows extends TableRows {
  readonly reason: string;
}

/**
 * `retryable`: the same batch may be sent again, whatever of it is stored already. `refused`: all rows are stored but those
 * in `refused`.
 */
export type InsertBatchResult =
  | { readonly status: 'stored' }
  | { readonly status: 'retryable'; readonly reason: string }
  | { readonly status: 'refused'; readonly reason: string; readonly refused: readonly RefusedRows[] };

/** Inserts spent on finding the bad rows of one table; what is left then is refused in one piece. */
const MAX_HALVINGS = 256;

/** @returns a sink for sealed batches; its `insert` rejects only for a bug */
export function createBatchSink(store: Store): { insert(batch: SealedBatch): Promise<InsertBatchResult> } {
  return { insert: (batch) => insertBatch(store, batch) };
}

async function insertBatch(
  store: Store,
  { token, tables, splits = createSplits() }: SealedBatch,
): Promise<InsertBatchResult> {
  const refused: RefusedRows[] = [];
  try {
    for (const { table, rows } of tables) {
      for (const part of splitByDays(rows)) {
        const batchToken = `${token}-${table}${part.suffix}`;
        const bisection: Bisection = { store, table, token: batchToken, inserts: 0, refused, splits };
        await insertRows(bisection, { token: batchToken, from: 0, rows: part.rows });
      }
    }
  } catch (error) {
    // Only what may be tried again comes up to here; a bug is none of it.
    if (!(error instanceof UpstreamError)) throw error;
    return { status: 'retryable', reason: error.message };
  }
  const [first] = refused;
  return first ? { status: 'refused', reason: first.reason, refused } : { status: 'stored' };
}

function createSplits(): SplitRecord {
  const tokens = new Set<string>();
  return { has: (token) => tokens.has(token), add: async (token) => void tokens.add(token) };
}

interface Bisection {
  readonly store: Store;
  readonly table: string;
  /** Of the whole, from which the halves' tokens follow. */
  readonly token: string;
  readonly refused: RefusedRows[];
  readonly splits: SplitRecord;
  inserts: number;
}

/** Some rows of a whole: `from` is the number of the first. */
interface RowRange {
  readonly token: string;
  readonly from: number;
  /**
   * Rows of the whole, part of every half's token: damage in the journal may take rows out of a batch between two attempts.
   * The others then come under other numbers, and twice is better than not at all.
   */
  readonly totalRows?: number;
  readonly rows: Uint8Array;
}

async function insertRows(bisection: Bisection, part: RowRange): Promise<void> {
  if (part.rows.length === 0) return;
  if (bisection.splits.has(part.token)) return insertHalves(bisection, part);
  const reason = await tryInsert(bisection, part);
  if (reason === undefined) return;
  if (bisection.inserts > MAX_HALVINGS || splitLines(part.rows).length === 1) {
    bisection.refused.push({ table: bisection.table, rows: part.rows, reason });
    return;
  }
  await bisection.splits.add(part.token);
  await insertHalves(bisection, part);
}

/** @returns why the store will never take these rows, or undefined when it did; throws what may be tried again */
async function tryInsert(bisection: Bisection, { token, rows }: RowRange): Promise<string | undefined> {
  bisection.inserts += 1;
  try {
    await bisection.store.insert(bisection.table, rows, token);
    return undefined;
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error;
    return describeReason(error);
  }
}

async function insertHalves(bisection: Bisection, { from, rows, ...part }: RowRange): Promise<void> {
  const lines = splitLines(rows);
  const totalRows = part.totalRows ?? lines.length;
  const middle = Math.ceil(lines.length / 2);
  const half = (first: number, end: number): RowRange => ({
    token: `${bisection.token}-${from + first}-${from + end}-of-${totalRows}`,
    from: from + first,
    totalRows,
    rows: Buffer.concat(lines.slice(first, end)),
  });
  await insertRows(bisection, half(0, middle));
  await insertRows(bisection, half(middle, lines.length));
}

/** The engine's own message repeats the row; of it only the column's name may be said. */
function describeReason({ message, cause }: UpstreamError): string {
  const text = cause instanceof Error ? cause.message : '';
  const column = /while (?:reading the value of key|parsing key) (\w{1,64})/.exec(text)?.[1];
  return column === undefined ? message : `${message}, at ${column}`;
}

function splitLines(rows: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < rows.length; ) {
    const newline = rows.indexOf(0x0a, start);
    const end = newline === -1 ? rows.length : newline + 1;
    if (end - start > 1) lines.push(rows.subarray(start, end));
    start = end;
  }
  return lines;
}
