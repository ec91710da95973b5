-- Failed calls, a second time and by tool. Serves the failures on the page of a tool, their newest samples, and
-- whether failures that advice was about have ended. Failures are some in a hundred calls, which `calls` stores
-- among all others of a server.
--
-- Key: server, tool, time, because a page reads one tool, newest samples first.
-- Columns: those of `calls` that are grouped by, filtered by or linked to. The message is a masked template, or
--   captured text, and expires with its call: by the retention of the calls and by every purge.
-- Partition: by day, and filled from `calls`, so that a day can be rebuilt alone.
-- Trap: the engine does not replace rows: reconciliation finds duplicates and rebuilds the day, as for every
--   rollup.
-- Cardinality: the failed calls, about forty bytes each.
-- Measured: with 10 million calls in 30 days, 7 in 100 failed, groups and samples of the most called tool take 60
--   ms, and 1,500 from `calls`.
-- Rejected: counts by group and hour (samples need the calls, and distinct messages would make it as long). A
--   projection of `calls` (not possible where rows are deleted).

CREATE TABLE IF NOT EXISTS failed_calls
(
    trace_id       String CODEC(ZSTD(1)),
    span_id        String CODEC(ZSTD(1)),
    server_name    LowCardinality(String) CODEC(ZSTD(1)),
    tool_name      LowCardinality(String) CODEC(ZSTD(1)),
    started_at     DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    environment    LowCardinality(String) CODEC(ZSTD(1)),
    server_version LowCardinality(String) CODEC(ZSTD(1)),
    client_name    LowCardinality(String) CODEC(ZSTD(1)),
    session_source LowCardinality(String) CODEC(ZSTD(1)),
    session_id     String CODEC(ZSTD(1)),
    plan_id        String CODEC(ZSTD(1)),
    outcome        LowCardinality(String) CODEC(ZSTD(1)),
    fault          LowCardinality(String) CODEC(ZSTD(1)),
    error_code     LowCardinality(String) CODEC(ZSTD(1)),
    error_message  String CODEC(ZSTD(3)),
    error_argument LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toDate(started_at)
PRIMARY KEY (server_name, tool_name)
ORDER BY (server_name, tool_name, started_at, span_id, trace_id)
TTL toDateTime(started_at) + INTERVAL 30 DAY DELETE
SETTINGS
    index_granularity = 1024,
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS failed_calls_from_calls TO failed_calls AS
SELECT
    trace_id,
    span_id,
    server_name,
    tool_name,
    started_at,
    environment,
    server_version,
    client_name,
    session_source,
    session_id,
    plan_id,
    outcome,
    fault,
    error_code,
    error_message,
    error_argument
FROM calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required' AND fault != 'none';
