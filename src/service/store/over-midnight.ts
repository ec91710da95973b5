// Calls of one day that lie in another day too, because two copies of a call said two starts, one on each side of midnight. Looked
// for in the hour on either side of it, as the ingest's own look-up is. The copy that was taken first stays, so each day is mended
// by itself.

/** A query of `{day:Date}`: the rows of the day that go, by ids and position. */
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
