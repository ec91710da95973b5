-- Arguments and results as text, of calls that were captured in mode `redacted` or `full`. Serves the detail of one call.
--
-- Key: always asked for one call whose time is known; the hour first, so that the few others of that hour are read at most.
-- Small granules (1024), because a row may have megabytes.
-- Apart from `calls`, and kept a week, because this is the only table with contents: its own retention, nothing of it on
-- the way of a list.
-- Cardinality: none by default; at most one row per call.
-- Rejected: two columns on `calls` with a column TTL, which rewrites whole parts to forget.

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
