// Reads what the ingest needs at startup: recent calls for its window of keys, and its last position, so that
// none is used twice.

import { z } from 'zod';
import { queryNumber, type Store } from './store.ts';

const KeyRow = z.object({ trace_id: z.string(), span_id: z.string(), ended_us: z.number() });

/** Limit at startup, longer than that of a page query. */
const MAX_SECONDS = 60;

export interface RecentCallKey {
  readonly traceId: string;
  readonly spanId: string;
  /** Microseconds since the epoch. */
  readonly endedAtUs: number;
}

/**
 * The most recently stored calls, newest first.
 *
 * @param since only those ingested at or after it, in epoch milliseconds
 * @param limit maximum number of calls
 * @throws UpstreamError as `Store` does
 */
export async function readRecentCallKeys(
  store: Store,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<RecentCallKey[]> {
  const rows = await store.query({
    sql: `
      SELECT
        trace_id,
        span_id,
        toUnixTimestamp64Micro(started_at) + toInt64(duration_us) AS ended_us
      FROM calls
      WHERE ingested_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
      ORDER BY ingested_at DESC, ingest_seq DESC
      LIMIT {limit:UInt32}`,
    params: { since, limit },
    row: KeyRow,
    maxSeconds: MAX_SECONDS,
  });
  return rows.map((row) => ({ traceId: row.trace_id, spanId: row.span_id, endedAtUs: row.ended_us }));
}

/**
 * @param node the ingest node's name
 * @returns the highest position of that node; 0 if nothing is stored
 * @throws UpstreamError as `Store` does
 */
export async function readMaxIngestSeq(store: Store, node: string): Promise<number> {
  const sql = 'SELECT max(ingest_seq) FROM calls WHERE ingest_node = {node:String}';
  return queryNumber(store, { sql, params: { node }, maxSeconds: MAX_SECONDS });
}

/**
 * The position a node must never reuse: even if its calls were purged or have expired, the reconciliation
 * records have their positions.
 *
 * @param node the ingest node's name
 * @returns the highest known position of that node; 0 if none
 * @throws UpstreamError as `Store` does
 */
export async function readMaxKnownIngestSeq(store: Store, node: string): Promise<number> {
  const sql = 'SELECT max(to_seq) FROM reconciliations WHERE ingest_node = {node:String}';
  const reconciled = await queryNumber(store, { sql, params: { node }, maxSeconds: MAX_SECONDS });
  return Math.max(reconciled, await readMaxIngestSeq(store, node));
}
