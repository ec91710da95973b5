// Reconciliation progress and scope: per node the positions since its last check, and the hours of the calls
// at those positions, however old.

import { z } from 'zod';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import { count } from './row-codec.ts';
import { insertOnce, type Store } from './store.ts';

/** A row of `reconciliations`. */
export interface ReconciliationRow {
  readonly atMs: number;
  /** The node that ran the check. */
  readonly checkedBy: string;
  /** The node whose calls were checked: those with a position above `fromSeq`, up to `toSeq`. */
  readonly ingestNode: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly result: string;
  readonly hours: number;
  readonly duplicatesRemoved: number;
  /** How many hours differed, by table; of sessions, days. */
  readonly differences: Readonly<Record<string, number>>;
  readonly repairedDays: readonly string[];
  /** To be looked at again by the next check. */
  readonly openDays: readonly string[];
  /** Calls from then on had not been dropped by age; milliseconds since the epoch. */
  readonly baseWholeFromMs: number;
  /** JSON for people to read. */
  readonly details: string;
}

/** Where the last check of a node's calls ended. */
export interface NodeCheckpoint {
  readonly ingestNode: string;
  /** By the node itself; 0 when it never has. */
  readonly ownSeq: number;
  /** By any node. */
  readonly seq: number;
  readonly openDays: readonly string[];
}

export interface ReconciliationProgress {
  readonly nodes: readonly NodeCheckpoint[];
  /** The latest of all; 0 when there was no check. */
  readonly baseWholeFromMs: number;
}

const NodeRow = z.object({
  node: z.string(),
  own_seq: count,
  seq: count,
  open_days: z.array(z.string()),
  whole_from: count,
});

/**
 * @param checkedBy node whose days to repair are read
 * @throws UpstreamError as `Store` does
 */
export async function readReconciliationProgress(
  store: Store,
  checkedBy: string,
): Promise<ReconciliationProgress> {
  const rows = await store.query({
    sql: `
      SELECT
        ingest_node AS node,
        maxIf(to_seq, checked_by = ingest_node) AS own_seq,
        max(to_seq) AS seq,
        arrayMap(day -> toString(day), argMaxIf(open_days, at, checked_by = {by:String})) AS open_days,
        toUnixTimestamp(max(base_whole_from)) AS whole_from
      FROM reconciliations
      GROUP BY node`,
    params: { by: checkedBy },
    row: NodeRow,
  });
  return {
    nodes: rows.map((row) => ({
      ingestNode: row.node,
      ownSeq: row.own_seq,
      seq: row.seq,
      openDays: row.open_days,
    })),
    baseWholeFromMs: Math.max(0, ...rows.map((row) => row.whole_from)) * 1000,
  };
}

const NodeSeqRow = z.object({ node: z.string(), seq: count });

/**
 * The highest positions of all other nodes for calls accepted before an instant.
 *
 * @param scope `node` is excluded; `takenBeforeMs` in epoch milliseconds
 * @throws UpstreamError as `Store` does
 */
export async function readOtherNodeMaxSeqs(
  store: Store,
  scope: { readonly node: string; readonly takenBeforeMs: number },
): Promise<{ readonly ingestNode: string; readonly seq: number }[]> {
  const rows = await store.query({
    sql: `
      SELECT ingest_node AS node, max(ingest_seq) AS seq
      FROM calls
      WHERE ingest_node != {node:String} AND ingested_at < fromUnixTimestamp64Milli({before:Int64}, 'UTC')
      GROUP BY node`,
    params: { node: scope.node, before: scope.takenBeforeMs },
    row: NodeSeqRow,
    maxSeconds: 60,
  });
  return rows.map(({ node, seq }) => ({ ingestNode: node, seq }));
}

/** Hours of one day, 0 to 23, in UTC. */
export interface DayHours {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly hours: readonly number[];
}

const HoursRow = z.object({ day: z.string(), hours: z.array(count) });

/** The hours that some calls of a node lie in. @throws UpstreamError as `Store` does */
export async function readAffectedHours(
  store: Store,
  { ingestNode, fromSeq, toSeq }: Pick<ReconciliationRow, 'ingestNode' | 'fromSeq' | 'toSeq'>,
): Promise<DayHours[]> {
  return store.query({
    sql: `
      SELECT toString(toDate(started_at)) AS day, arraySort(groupUniqArray(toHour(started_at))) AS hours
      FROM calls
      WHERE ingest_node = {node:String} AND ingest_seq > {from_seq:UInt64} AND ingest_seq <= {to_seq:UInt64}
      GROUP BY day
      ORDER BY day`,
    params: { node: ingestNode, from_seq: fromSeq, to_seq: toSeq },
    row: HoursRow,
    maxSeconds: 60,
  });
}

/** Writes what a check found; the same row a second time changes nothing. @throws UpstreamError as `Store` does */
export async function writeReconciliation(store: Store, row: ReconciliationRow): Promise<void> {
  await insertOnce(store, 'reconciliations', [toColumns(row)]);
}

function toColumns(row: ReconciliationRow) {
  return {
    at: formatDateTime64(row.atMs * 1000),
    checked_by: row.checkedBy,
    ingest_node: row.ingestNode,
    from_seq: row.fromSeq,
    to_seq: row.toSeq,
    result: row.result,
    hours: row.hours,
    duplicates_removed: row.duplicatesRemoved,
    differences: row.differences,
    repaired_days: row.repairedDays,
    open_days: row.openDays,
    base_whole_from: Math.ceil(row.baseWholeFromMs / 1000),
    details: row.details,
  };
}
