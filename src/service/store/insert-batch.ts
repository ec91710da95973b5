// Ships a sealed batch: every table of it under a token of its own, so that a repeat changes nothing. One bad row makes
// the store refuse all rows beside it; they are then halved until the bad ones stand alone. The halves' tokens follow
// from the batch's token and the row numbers, so a repeat after a crash makes the same halves.

import { UpstreamError } from '../../errors.ts';
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

async function insertBatch(store: Store, { token, tables }: SealedBatch): Promise<InsertBatchResult> {
  const refused: RefusedRows[] = [];
  try {
    for (const { table, rows } of tables) {
      const sieve: Sieve = { store, table, token: `${token}-${table}`, inserts: 0, refused };
      await insertLines(sieve, toLines(rows));
    }
  } catch (error) {
    // Only what may be tried again comes up to here; a bug is none of it.
    if (!(error instanceof UpstreamError)) throw error;
    return { status: 'retryable', reason: error.message };
  }
  const [first] = refused;
  return first ? { status: 'refused', reason: first.reason, refused } : { status: 'stored' };
}

interface Sieve {
  readonly store: Store;
  readonly table: string;
  readonly token: string;
  readonly refused: RefusedRows[];
  inserts: number;
}

/** Some rows of a batch: `from` is the number of the first. */
interface Lines {
  readonly from: number;
  readonly lines: readonly Uint8Array[];
  readonly isWhole: boolean;
}

async function insertLines(sieve: Sieve, part: Lines): Promise<void> {
  const { from, lines, isWhole } = part;
  if (lines.length === 0) return;
  sieve.inserts += 1;
  const rows = Buffer.concat(lines);
  const token = isWhole ? sieve.token : `${sieve.token}-${from}-${from + lines.length}`;
  try {
    await sieve.store.insert(sieve.table, rows, token);
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error;
    if (lines.length === 1 || sieve.inserts > MAX_HALVINGS) {
      sieve.refused.push({ table: sieve.table, rows, reason: error.message });
      return;
    }
    const middle = Math.ceil(lines.length / 2);
    await insertLines(sieve, { from, lines: lines.slice(0, middle), isWhole: false });
    await insertLines(sieve, { from: from + middle, lines: lines.slice(middle), isWhole: false });
  }
}

function toLines(rows: Uint8Array): Lines {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < rows.length; ) {
    const newline = rows.indexOf(0x0a, start);
    const end = newline === -1 ? rows.length : newline + 1;
    if (end - start > 1) lines.push(rows.subarray(start, end));
    start = end;
  }
  return { from: 0, lines, isWhole: true };
}
