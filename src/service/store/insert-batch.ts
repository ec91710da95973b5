// Inserts a sealed batch: every table under its own token, so that a repeat changes nothing. One bad row
// makes the store refuse all rows of an insert, so refused rows are bisected until the bad ones are isolated.
// Tokens of halves derive from the batch token and the row numbers, and a split is recorded before the first
// half is sent: a part that the store accepts on retry would count in addition to its halves.

import { UpstreamError } from '../../errors.ts';
import type { BatchSink, InsertResult, RefusedRows, SealedBatch, SplitRecord } from '../ingest/batch-sink.ts';
import { splitByDays } from './split-by-days.ts';
import type { Store } from './store.ts';

/** Maximum inserts to isolate the bad rows of one table; the rest is then refused as one piece. */
const MAX_HALVINGS = 256;

/**
 * @returns a sink for sealed batches; its `insert` rejects only for a bug. A batch without a split record loses
 * its splits when the process ends
 */
export function createBatchSink(store: Store): BatchSink {
  return { insert: (batch) => insertBatch(store, batch) };
}

async function insertBatch(
  store: Store,
  { token, tables, splits = createSplits() }: SealedBatch,
): Promise<InsertResult> {
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
    // Only retryable errors are handled here; anything else is a bug.
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
  /** Token of the whole, from which the tokens of the halves derive. */
  readonly token: string;
  readonly refused: RefusedRows[];
  readonly splits: SplitRecord;
  inserts: number;
}

/** A range of rows; `from` is the number of the first. */
interface RowRange {
  readonly token: string;
  readonly from: number;
  /**
   * Total rows, part of every half's token: journal damage may remove rows between two attempts. The others
   * then have other numbers, and a duplicate is better than a loss.
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

/**
 * @returns why the store permanently refuses these rows, or undefined on success; throws retryable errors
 */
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

/** The engine's message repeats the row; only the column name may be reported. */
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
