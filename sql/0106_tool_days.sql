-- Calls of tools per day. Serves the stats of tools over several days: whole days come from here, the edges from
-- the hours. On the page of a tool it also serves the calls by size of the result and by definition.
--
-- Key: server and tool first, because the page of a tool reads one tool of thirty days; the catalogue, which
--   identifies the definition a call met, is last. Granules are small, because a state is read with its whole
--   granule.
-- Trap: outcome and code are not in the key: they made seven rows of one, and reading a state costs a microsecond
--   however small it is. Outcomes are four counts instead.
-- Columns: `sized_*` are the same by size of the result, from 0 (less than 1 kB) to 4 (1 MB and more); `results`
--   are the sizes of `ok` results. Latency as in `tool_minutes`.
-- Partition: by day, and filled from `calls`, so that a day can be rebuilt alone. Days before this table existed
--   have no catalogue and no sizes.
-- Cardinality: servers x tools x environments x catalogues of a day: some thousands a month, whatever the number of
--   calls.
-- Measured: with 10 million calls of 40 tools in 30 days, p50, p95 and sessions of every tool take 150 ms, and 480
--   from the hours.
-- Rejected: client and version in the key (twelve times the rows, see `client_days`). Sizes in the key (2.5 times
--   the rows, for one panel).

CREATE TABLE IF NOT EXISTS tool_days
(
    day             Date CODEC(ZSTD(1)),
    server_name     LowCardinality(String) CODEC(ZSTD(1)),
    tool_name       LowCardinality(String) CODEC(ZSTD(1)),
    environment     LowCardinality(String) CODEC(ZSTD(1)),
    catalogue_hash  LowCardinality(String) CODEC(ZSTD(1)),
    calls           SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors          SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
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
PRIMARY KEY (server_name, tool_name)
ORDER BY (server_name, tool_name, environment, catalogue_hash)
TTL day + INTERVAL 13 MONTH DELETE
SETTINGS
    index_granularity = 8,
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tool_days_from_calls TO tool_days AS
SELECT
    toDate(started_at) AS day,
    server_name,
    tool_name,
    environment,
    catalogue_hash,
    count() AS calls,
    countIf(fault != 'none') AS errors,
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
GROUP BY day, server_name, tool_name, environment, catalogue_hash;
