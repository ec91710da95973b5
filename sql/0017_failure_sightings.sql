-- When a failure was first seen. Serves "new" on a failure group and the new codes among what changed: without it every page
-- would read all failures that are kept.
--
-- Key: server, tool, then what makes failures alike. The message is a hash: a message may have been captured in full, and
-- then it must go with its call.
-- Only minimum and maximum, so a row that is stored twice changes nothing; what was stored before this table was made is
-- filled in by the last statement, which may run again for the same reason.
-- Cardinality: groups of failures, thirty bytes each, kept as long as rollups are by default.
-- Rejected: counts by day and group (a read of the range gives them, and messages that are all different would make it as
-- long as the calls).

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
GROUP BY
    server_name,
    environment,
    tool_name,
    outcome,
    error_code,
    error_argument,
    message_hash;

INSERT INTO failure_sightings
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
GROUP BY
    server_name,
    environment,
    tool_name,
    outcome,
    error_code,
    error_argument,
    message_hash;
