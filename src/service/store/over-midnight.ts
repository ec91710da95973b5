// Duplicates across midnight: two copies of a call with start times in different days. Searched within an
// hour on either side, like the ingest lookup. The copy accepted first stays, so each day is repaired
// independently.

/** A query of `{day:Date}`: the rows of the day to delete, by ids and position. */
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
