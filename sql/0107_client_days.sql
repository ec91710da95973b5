-- Calls of tools per day, client and server version. Serves all pages under a filter by client or version over
-- several days: whole days come from here, the edges from the minutes. It also serves the clients of the overview
-- and the calls by client of a tool.
--
-- Key: server, then client, because that is the filter: a state is read with its whole granule, so the rows of
--   other clients must be elsewhere, and granules are small. One tool of one client is in a granule or two of a
--   day. A version usually has one catalogue, so the catalogue adds few rows.
-- Columns: counts, states and sizes as in `tool_days`; `client_errors` are the failures that were the client's
--   fault.
-- Partition: by day, and filled from `calls`, so that a day can be rebuilt alone. Retention: that of the minutes.
-- Cardinality: servers x clients x versions x catalogues x tools x environments of a day: 37,000 rows for 10
--   million calls of 40 tools and 6 clients in 30 days, of which the minutes have 4,600,000.
-- Rejected: reading the minutes (0.7 s for one client of thirty days). A Map by client in `tool_days` (filters
--   cannot reach into a state).

CREATE TABLE IF NOT EXISTS client_days
(
    day             Date CODEC(ZSTD(1)),
    server_name     LowCardinality(String) CODEC(ZSTD(1)),
    tool_name       LowCardinality(String) CODEC(ZSTD(1)),
    environment     LowCardinality(String) CODEC(ZSTD(1)),
    client_name     LowCardinality(String) CODEC(ZSTD(1)),
    server_version  LowCardinality(String) CODEC(ZSTD(1)),
    catalogue_hash  LowCardinality(String) CODEC(ZSTD(1)),
    calls           SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors          SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    client_errors   SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    ok              SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    timed           SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    last_call       SimpleAggregateFunction(max, DateTime('UTC')) CODEC(Delta(4), ZSTD(1)),
    durations       AggregateFunction(quantilesBFloat16(0.5, 0.95, 0.99), UInt64) CODEC(ZSTD(1)),
    sessions        AggregateFunction(uniqCombined, UInt64) CODEC(ZSTD(1)),
    results         AggregateFunction(quantilesBFloat16(0.95), UInt64) CODEC(ZSTD(1)),
    sized_calls     SimpleAggregateFunction(sumMap, Map(UInt8, UInt64)) CODEC(ZSTD(1)),
    sized_timed     SimpleAggregateFunction(sumMap, Map(UInt8, UInt64)) CODEC(ZSTD(1)),
    sized_durations AggregateFunction(quantilesBFloat16Map(0.5, 0.95, 0.99), Map(UInt8, UInt64)) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY day
PRIMARY KEY (server_name, client_name, server_version, tool_name, environment)
ORDER BY (server_name, client_name, server_version, tool_name, environment, catalogue_hash)
TTL day + INTERVAL 30 DAY DELETE
SETTINGS
    index_granularity = 16,
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS client_days_from_calls TO client_days AS
SELECT
    toDate(started_at) AS day,
    server_name,
    tool_name,
    environment,
    client_name,
    server_version,
    catalogue_hash,
    count() AS calls,
    countIf(fault != 'none') AS errors,
    countIf(fault = 'client') AS client_errors,
    countIf(outcome = 'ok') AS ok,
    countIf(outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task')) AS timed,
    max(toDateTime(started_at, 'UTC')) AS last_call,
    quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task'))
        AS durations,
    uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions,
    quantilesBFloat16StateIf(0.95)(result_bytes, outcome = 'ok' AND result_bytes > 0) AS results,
    sumMap(map(
        toUInt8((result_bytes >= 1000) + (result_bytes >= 10000) + (result_bytes >= 100000) + (result_bytes >= 1000000)),
        toUInt64(1))) AS sized_calls,
    sumMap(map(
        toUInt8((result_bytes >= 1000) + (result_bytes >= 10000) + (result_bytes >= 100000) + (result_bytes >= 1000000)),
        toUInt64(outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task')))) AS sized_timed,
    quantilesBFloat16MapStateIf(0.5, 0.95, 0.99)(
        map(
            toUInt8((result_bytes >= 1000) + (result_bytes >= 10000) + (result_bytes >= 100000) + (result_bytes >= 1000000)),
            duration_us),
        outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task')) AS sized_durations
FROM calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required'
GROUP BY day, server_name, tool_name, environment, client_name, server_version, catalogue_hash;
