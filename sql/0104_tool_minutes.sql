-- Requests per minute. Serves the charts of the overview, the list of tools and the errors, for ranges whose edges
-- need minutes, and for filters by client or server version.
--
-- Key: server and hour first, so that a range reads adjacent rows; then the tool, because most queries are per
--   tool. Every dimension that can be filtered is in the key: rows merge only if all of it is equal. Outcome, fault
--   and code are in it, so the error rate per code is one read.
-- Trap: only requests that the server answered; interim `input_required` answers are not calls. Latency excludes
--   the outcomes without a meaningful duration (cancelled, abandoned, blocked, task): their rows hold an empty
--   state.
-- Percentiles: of six sketches, quantilesBFloat16 is the only one whose result does not depend on the order of
--   merges. It is at most 0.78 % low, and other levels than the declared ones can be read. `sessions` counts the
--   distinct sessions of any range: exact for small numbers, about 0.4 % off for several thousand.
-- Partition: by day, so that REPLACE PARTITION can rebuild one day from `calls`. Retention: that of the calls.
-- Cardinality: one row per minute and combination that occurred; with little traffic almost one per call.
-- Rejected: TDigest (at most 0.03 % off, but its result changes with every merge). One row per tool with a Map of
--   codes (filters cannot reach into it). The plan in the key (unbounded; that filter reads `calls`).

CREATE TABLE IF NOT EXISTS tool_minutes
(
    server_name    LowCardinality(String) CODEC(ZSTD(1)),
    environment    LowCardinality(String) CODEC(ZSTD(1)),
    server_version LowCardinality(String) CODEC(ZSTD(1)),
    client_name    LowCardinality(String) CODEC(ZSTD(1)),
    method         LowCardinality(String) CODEC(ZSTD(1)),
    tool_name      LowCardinality(String) CODEC(ZSTD(1)),
    outcome        LowCardinality(String) CODEC(ZSTD(1)),
    fault          LowCardinality(String) CODEC(ZSTD(1)),
    error_code     LowCardinality(String) CODEC(ZSTD(1)),
    bucket         DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
    calls          SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors         SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    last_call      SimpleAggregateFunction(max, DateTime('UTC')) CODEC(Delta(4), ZSTD(1)),
    durations      AggregateFunction(quantilesBFloat16(0.5, 0.95, 0.99), UInt64) CODEC(ZSTD(1)),
    sessions       AggregateFunction(uniqCombined, UInt64) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toDate(bucket)
PRIMARY KEY (server_name, toStartOfHour(bucket), tool_name)
ORDER BY (server_name, toStartOfHour(bucket), tool_name, method, outcome, fault, error_code, environment,
          client_name, server_version, bucket)
TTL bucket + INTERVAL 30 DAY DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tool_minutes_from_calls TO tool_minutes AS
SELECT
    server_name,
    environment,
    server_version,
    client_name,
    method,
    tool_name,
    outcome,
    fault,
    error_code,
    toStartOfMinute(toDateTime(started_at, 'UTC')) AS bucket,
    count() AS calls,
    countIf(fault != 'none') AS errors,
    max(toDateTime(started_at, 'UTC')) AS last_call,
    quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task'))
        AS durations,
    uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions
FROM calls
WHERE side = 'server' AND outcome != 'input_required'
GROUP BY server_name, environment, server_version, client_name, method, tool_name, outcome, fault, error_code, bucket;
