// Removes all rows of a call except the first, within one day. Two rows with the same sort key may merge at
// any time, and which one survives is undefined: deleting one could delete the survivor. So they are merged
// first, and only rows that no merge combines are deleted by name. Each step may be repeated after a crash.

import { z } from 'zod';
import { assertDay, CROSS_MIDNIGHT_DUPLICATES, DAY_QUERY_LIMITS } from './day-sql.ts';
import type { Store } from './store.ts';

const DuplicateRow = z.object({
  trace_id: z.string().regex(/^\w*$/),
  span_id: z.string().regex(/^\w*$/),
  ingest_node: z.string().regex(/^[\w.-]*$/),
  ingest_seq: z.coerce.number().int().nonnegative(),
});
type DuplicateRow = z.infer<typeof DuplicateRow>;

/** Rows named in one statement; about 100 bytes each, and a statement may have 256 kB. */
const MAX_ROWS_PER_STATEMENT = 1_000;
/** Further duplicates are left to the next reconciliation. */
const MAX_ROUNDS = 100;

/**
 * Of rows that a merge combines, the last accepted stays; of others, the first accepted, by node and position
 * within the same millisecond.
 *
 * @param day `YYYY-MM-DD`
 * @throws UpstreamError as `Store` does
 */
export async function removeDuplicates(store: Store, day: string): Promise<void> {
  assertDay(day);
  await store.command(`OPTIMIZE TABLE calls PARTITION '${day}' FINAL SETTINGS optimize_throw_if_noop = 1`);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const rows = await findDuplicateRows(store, day);
    if (rows.length === 0) return;
    await store.command(
      `DELETE FROM calls WHERE toDate(started_at) = '${day}'
         AND (trace_id, span_id, ingest_node, ingest_seq) IN (${rows.map(toTuple).join(', ')})
       SETTINGS lightweight_deletes_sync = 1`,
    );
  }
}

function findDuplicateRows(store: Store, day: string): Promise<DuplicateRow[]> {
  return store.query({
    sql: `
      SELECT trace_id, span_id, ingest_node, ingest_seq
      FROM (
        SELECT
          trace_id,
          span_id,
          ingest_node,
          ingest_seq,
          row_number() OVER (PARTITION BY trace_id, span_id ORDER BY ingested_at, ingest_node, ingest_seq) AS nth
        FROM calls
        WHERE toDate(started_at) = {day:Date}
          AND sipHash128(trace_id, span_id) IN (
            SELECT sipHash128(trace_id, span_id) AS hash
            FROM calls
            WHERE toDate(started_at) = {day:Date}
            GROUP BY hash
            HAVING count() > 1
          )
      )
      WHERE nth > 1
      UNION DISTINCT
      SELECT * FROM (${CROSS_MIDNIGHT_DUPLICATES})
      LIMIT ${MAX_ROWS_PER_STATEMENT}`,
    params: { day },
    row: DuplicateRow,
    ...DAY_QUERY_LIMITS,
  });
}

/** Safe without escaping: `DuplicateRow` accepts only plain characters. */
function toTuple({ trace_id, span_id, ingest_node, ingest_seq }: DuplicateRow): string {
  return `('${trace_id}', '${span_id}', '${ingest_node}', ${ingest_seq})`;
}
