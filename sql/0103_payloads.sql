-- Arguments and results as text, of calls captured with mode `redacted` or `full`. Serves the detail of one call.
--
-- Key: always read for one call with a known time, so the hour comes first and few rows are read besides it.
--   Granules are small (1024), because a row may be megabytes.
-- Trap: the only table with contents, so it has its own, shorter retention and is never read by a list.
-- Cardinality: none by default; at most one row per call.
-- Rejected: two columns of `calls` with a column TTL, which rewrites whole parts to expire.

CREATE TABLE IF NOT EXISTS payloads
(
    trace_id    String CODEC(ZSTD(1)),
    span_id     String CODEC(ZSTD(1)),
    started_at  DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    server_name LowCardinality(String) CODEC(ZSTD(1)),
    arguments   String CODEC(ZSTD(3)),
    result      String CODEC(ZSTD(3)),
    truncated   UInt8 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(started_at)
ORDER BY (server_name, toStartOfHour(started_at), span_id, trace_id)
TTL toDateTime(started_at) + INTERVAL 7 DAY DELETE
SETTINGS
    index_granularity = 1024,
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
