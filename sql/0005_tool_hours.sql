-- What was called, per hour and for thirteen months. Serves the same charts and tables as `tool_minutes` for long ranges:
-- the whole hours of a range come from here, its edges from the minutes; the states merge with one another.
--
-- Key: as `tool_minutes`, with the day in place of the hour, and without client and server version: those two would multiply
-- the rows by their number for a year. A filter by them beyond the minutes' retention is refused with a hint.
-- Filled from `calls` and not from the minutes, and partitioned by day: a day can be rebuilt alone.
-- Cardinality: servers x tools x outcomes x codes x environments that occurred in an hour; 10 million calls of 45 tools
-- in 30 days come to some 300,000 rows.
-- Rejected: filling it in cascade from the minutes (rebuilding a day of minutes would then need a month of hours rebuilt);
-- monthly partitions (the same).

CREATE TABLE IF NOT EXISTS tool_hours
(
    server_name LowCardinality(String) CODEC(ZSTD(1)),
    environment LowCardinality(String) CODEC(ZSTD(1)),
    method      LowCardinality(String) CODEC(ZSTD(1)),
    tool_name   LowCardinality(String) CODEC(ZSTD(1)),
    outcome     LowCardinality(String) CODEC(ZSTD(1)),
    fault       LowCardinality(String) CODEC(ZSTD(1)),
    error_code  LowCardinality(String) CODEC(ZSTD(1)),
    bucket      DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
    calls       SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors      SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    last_call   SimpleAggregateFunction(max, DateTime('UTC')) CODEC(Delta(4), ZSTD(1)),
    durations   AggregateFunction(quantilesBFloat16(0.5, 0.95, 0.99), UInt64) CODEC(ZSTD(1)),
    sessions    AggregateFunction(uniqCombined, UInt64) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toDate(bucket)
PRIMARY KEY (server_name, tool_name)
ORDER BY (server_name, tool_name, method, outcome, fault, error_code, environment, bucket)
TTL bucket + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tool_hours_from_calls TO tool_hours AS
SELECT
    server_name,
    environment,
    method,
    tool_name,
    outcome,
    fault,
    error_code,
    toStartOfHour(toDateTime(started_at, 'UTC')) AS bucket,
    count() AS calls,
    countIf(fault != 'none') AS errors,
    max(toDateTime(started_at, 'UTC')) AS last_call,
    quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task'))
        AS durations,
    uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions
FROM calls
WHERE side = 'server' AND outcome != 'input_required'
GROUP BY
    server_name,
    environment,
    method,
    tool_name,
    outcome,
    fault,
    error_code,
    bucket;
