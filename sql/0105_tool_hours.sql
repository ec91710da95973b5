-- Requests per hour, for thirteen months. Serves the charts and tables of `tool_minutes` for long ranges: whole
-- hours come from here, the edges from the minutes. Their states merge.
--
-- Key: that of `tool_minutes` with the day instead of the hour, and without client and server version, which would
--   multiply a year of rows. Beyond the retention of the minutes, filters by these two are refused with a hint.
-- Partition: by day, and filled from `calls` instead of the minutes, so that a day can be rebuilt alone.
-- Cardinality: servers x tools x outcomes x codes x environments of an hour; about 300,000 rows for 10 million
--   calls of 45 tools in 30 days.
-- Rejected: filling it from the minutes (a rebuilt day of minutes would require a rebuilt month of hours). Monthly
--   partitions (the same).

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
GROUP BY server_name, environment, method, tool_name, outcome, fault, error_code, bucket;
