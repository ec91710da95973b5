-- What was called, per day, client and version of the server. Serves the figures of pages that are filtered by a client or a
-- version over some days or longer: the whole days of a range come from here, its edges from the minutes; and, on a tool's
-- page, the calls by client.
--
-- Key: server, then the client, because that is what is filtered for: a state is read with its granule, wanted or not, so the
-- others must lie elsewhere, and granules are small, for the same reason.
-- Counts and states as in `tool_days`, without what only a tool's page asks of all its calls.
-- Partition: by day, so that a day can be rebuilt alone; filled from `calls`, for the same reason. Kept as long as the minutes,
-- which the edges come from. What was stored before is filled in, as for `tool_days`.
-- Cardinality: servers x clients x versions x tools x environments of a day: 10 million calls of 40 tools and 6 clients in 30
-- days come to 37,000 rows; the minutes have 4,600,000.
-- Rejected: reading the minutes (0.7 s for one client of thirty days); a Map by client in `tool_days` (no filter reaches into
-- a state).

CREATE TABLE IF NOT EXISTS client_days
(
    day             Date CODEC(ZSTD(1)),
    server_name     LowCardinality(String) CODEC(ZSTD(1)),
    tool_name       LowCardinality(String) CODEC(ZSTD(1)),
    environment     LowCardinality(String) CODEC(ZSTD(1)),
    client_name     LowCardinality(String) CODEC(ZSTD(1)),
    server_version  LowCardinality(String) CODEC(ZSTD(1)),
    calls           SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors          SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    ok              SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    timed           SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    last_call       SimpleAggregateFunction(max, DateTime('UTC')) CODEC(Delta(4), ZSTD(1)),
    durations       AggregateFunction(quantilesBFloat16(0.5, 0.95, 0.99), UInt64) CODEC(ZSTD(1)),
    sessions        AggregateFunction(uniqCombined, UInt64) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY day
ORDER BY (server_name, client_name, server_version, tool_name, environment)
TTL day + INTERVAL 30 DAY DELETE
SETTINGS
    index_granularity = 16,
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

DROP VIEW IF EXISTS client_days_from_calls;

DROP VIEW IF EXISTS client_days_from_kept_client_calls;

DROP TABLE IF EXISTS kept_client_calls;

TRUNCATE TABLE client_days;

CREATE TABLE IF NOT EXISTS kept_client_calls AS calls ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS client_days_from_kept_client_calls TO client_days AS
SELECT
    toDate(started_at) AS day,
    server_name,
    tool_name,
    environment,
    client_name,
    server_version,
    count() AS calls,
    countIf(fault != 'none') AS errors,
    countIf(outcome = 'ok') AS ok,
    countIf(outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task')) AS timed,
    max(toDateTime(started_at, 'UTC')) AS last_call,
    quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task'))
        AS durations,
    uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions
FROM kept_client_calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required'
GROUP BY
    day,
    server_name,
    tool_name,
    environment,
    client_name,
    server_version;

INSERT INTO kept_client_calls
SELECT *
FROM calls
SETTINGS max_partitions_per_insert_block = 0, max_threads = 1, max_block_size = 65536, min_insert_block_size_rows = 100000,
    min_insert_block_size_rows_for_materialized_views = 2000, insert_deduplicate = 0;

DROP VIEW IF EXISTS client_days_from_kept_client_calls;

DROP TABLE IF EXISTS kept_client_calls;

CREATE MATERIALIZED VIEW IF NOT EXISTS client_days_from_calls TO client_days AS
SELECT
    toDate(started_at) AS day,
    server_name,
    tool_name,
    environment,
    client_name,
    server_version,
    count() AS calls,
    countIf(fault != 'none') AS errors,
    countIf(outcome = 'ok') AS ok,
    countIf(outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task')) AS timed,
    max(toDateTime(started_at, 'UTC')) AS last_call,
    quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task'))
        AS durations,
    uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions
FROM calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required'
GROUP BY
    day,
    server_name,
    tool_name,
    environment,
    client_name,
    server_version;
