-- First and last occurrence of each failure. Serves the label "new" on a group of failures, and new codes among the
-- changes, without reading all failures.
--
-- Key: server, tool, then what makes failures equal. The message is a hash, because a message may have been
--   captured in full and must expire with its call.
-- Trap: only minimum and maximum, so storing a row twice changes nothing.
-- Cardinality: groups of failures, thirty bytes each; retention as for the rollups.
-- Rejected: counts by day and group (distinct messages would make it as long as the calls).

CREATE TABLE IF NOT EXISTS failure_sightings
(
    server_name    LowCardinality(String) CODEC(ZSTD(1)),
    environment    LowCardinality(String) CODEC(ZSTD(1)),
    tool_name      LowCardinality(String) CODEC(ZSTD(1)),
    outcome        LowCardinality(String) CODEC(ZSTD(1)),
    error_code     LowCardinality(String) CODEC(ZSTD(1)),
    error_argument LowCardinality(String) CODEC(ZSTD(1)),
    message_hash   UInt64 CODEC(ZSTD(1)),
    first_seen     SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_seen      SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (server_name, tool_name, outcome, error_code, error_argument, message_hash, environment)
TTL toDateTime(last_seen) + INTERVAL 13 MONTH DELETE
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS failure_sightings_from_calls TO failure_sightings AS
SELECT
    server_name,
    environment,
    tool_name,
    outcome,
    error_code,
    error_argument,
    cityHash64(error_message) AS message_hash,
    min(started_at) AS first_seen,
    max(started_at) AS last_seen
FROM calls
WHERE side = 'server' AND method = 'tools/call' AND fault != 'none'
GROUP BY server_name, environment, tool_name, outcome, error_code, error_argument, message_hash;
