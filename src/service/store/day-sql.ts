// SQL that comparing and repairing a day of the rollups have in common.

import { z } from 'zod';
import type { Store } from './store.ts';

/** A day of ten million calls takes some seconds. Queries of pages never wait for this memory. */
export const DAY_QUERY_LIMITS = {
  maxSeconds: 120,
  limits: { memoryBytes: 1024 ** 3, rowsToRead: 500_000_000 },
};

/** For SQL text that contains a day. @throws Error when it is not `YYYY-MM-DD` */
export function assertDay(day: string): void {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error('not a day');
}

/**
 * A query with the parameter `{day:Date}`: the rows of that day to delete, because another copy of the call, with a
 * start time on the day before or after, was accepted first. Copies within an hour of midnight are found, like those
 * that ingest looks up. Each day can be repaired independently.
 */
export const CROSS_MIDNIGHT_DUPLICATES = `
  SELECT own.trace_id AS trace_id, own.span_id AS span_id, own.ingest_node AS ingest_node, own.ingest_seq AS ingest_seq
  FROM (
    SELECT trace_id, span_id, ingest_node, ingest_seq, ingested_at
    FROM calls
    WHERE toDate(started_at) = {day:Date} AND toHour(started_at) IN (0, 23)
  ) AS own
  INNER JOIN (
    SELECT trace_id, span_id, ingest_node, ingest_seq, ingested_at
    FROM calls
    WHERE (toDate(started_at) = {day:Date} - 1 AND toHour(started_at) = 23)
       OR (toDate(started_at) = {day:Date} + 1 AND toHour(started_at) = 0)
  ) AS other ON own.trace_id = other.trace_id AND own.span_id = other.span_id
  WHERE (other.ingested_at, other.ingest_node, other.ingest_seq) < (own.ingested_at, own.ingest_node, own.ingest_seq)`;

const ViewRow = z.object({ as_select: z.string() });
const FROM_CALLS = /\bFROM (?:\w+\.)?calls\b/g;

/**
 * The SELECT of a materialised view, limited to the calls of one day. Rebuilding and comparing use the view's own SQL, so
 * that they cannot diverge.
 *
 * @param table that the view `<table>_from_calls` fills
 * @param day `YYYY-MM-DD`
 * @throws Error when the view does not read the calls exactly once; UpstreamError as `Store` does
 */
export async function readViewSelect(store: Store, table: string, day: string): Promise<string> {
  assertDay(day);
  const [definition] = await store.query({
    sql: 'SELECT as_select FROM system.tables WHERE database = currentDatabase() AND name = {view:String}',
    params: { view: `${table}_from_calls` },
    row: ViewRow,
  });
  const select = definition?.as_select ?? '';
  if (select.match(FROM_CALLS)?.length !== 1) throw new Error('a view does not read the calls once');
  return select.replace(
    FROM_CALLS,
    (source) => `FROM (SELECT * ${source} WHERE toDate(started_at) = '${day}')`,
  );
}
