-- What was called, per day. Serves every figure of a tool over some days or longer: the whole days of a range come from here, its
-- edges from the hours; and, on a tool's page, the calls by size of the result and by the definition they met.
--
-- Key: server and tool lead, because a tool's page reads one tool of thirty days; the catalogue, by which a call says which
-- definition it met, comes last. Granules are small, since a state is read with its granule, wanted or not.
-- Outcome and code are not in the key: they made seven rows of one, and a state costs a microsecond to read however little is
-- in it. What is asked of outcomes here are four counts.
-- Only calls of tools that a server answered for good. Latency as in `tool_minutes`; `sized_*` hold the same by the size of
-- the result, from 0 for less than 1 kB to 4 for 1 MB and more; `results` the sizes of what was answered `ok`.
-- Partition: by day, so that a day can be rebuilt alone; filled from `calls`, for the same reason.
-- What was stored before is filled in: from the calls where they are kept, from the hours before that, without catalogue and
-- sizes. A start that was killed meanwhile begins again with an empty table. The calls go through a table that keeps nothing,
-- block by block, since thirty days of them in one aggregation do not fit the memory of a small machine.
-- Cardinality: servers x tools x environments x catalogues of a day: some thousands a month, whatever the calls.
-- Measured on 10 million calls of 40 tools in 30 days: p50, p95 and the sessions of every tool in 150 ms; from the hours 480.
-- Rejected: client and version in the key (twelve times the rows, and merging a sketch costs what is in it: see `client_days`);
-- sizes in the key (two rows and a half of one, for a panel of one page).

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

DROP VIEW IF EXISTS tool_days_from_calls;

DROP VIEW IF EXISTS tool_days_from_kept_calls;

DROP TABLE IF EXISTS kept_calls;

TRUNCATE TABLE tool_days;

INSERT INTO tool_days (day, server_name, tool_name, environment, calls, errors, ok, timed, last_call, durations, sessions)
SELECT
    toDate(bucket) AS day,
    server_name,
    tool_name,
    environment,
    sum(tool_hours.calls) AS calls,
    sum(tool_hours.errors) AS errors,
    sumIf(tool_hours.calls, outcome = 'ok') AS ok,
    sumIf(tool_hours.calls, outcome NOT IN ('cancelled', 'abandoned', 'blocked', 'task')) AS timed,
    max(tool_hours.last_call) AS last_call,
    quantilesBFloat16MergeState(0.5, 0.95, 0.99)(tool_hours.durations) AS durations,
    uniqCombinedMergeState(tool_hours.sessions) AS sessions
FROM tool_hours
WHERE method = 'tools/call' AND day <= (SELECT if(count() = 0, toDate('2149-06-06'), min(toDate(started_at))) FROM calls)
GROUP BY
    day,
    server_name,
    tool_name,
    environment
SETTINGS max_partitions_per_insert_block = 0, max_bytes_before_external_group_by = 300000000, insert_deduplicate = 0;

CREATE TABLE IF NOT EXISTS kept_calls AS calls ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS tool_days_from_kept_calls TO tool_days AS
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
FROM kept_calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required'
GROUP BY
    day,
    server_name,
    tool_name,
    environment,
    catalogue_hash;

INSERT INTO kept_calls
SELECT *
FROM calls
WHERE toDate(started_at) > (SELECT min(toDate(started_at)) FROM calls)
SETTINGS max_partitions_per_insert_block = 0, max_threads = 1, max_block_size = 65536, min_insert_block_size_rows = 100000,
    min_insert_block_size_rows_for_materialized_views = 2000, insert_deduplicate = 0;

DROP VIEW IF EXISTS tool_days_from_kept_calls;

DROP TABLE IF EXISTS kept_calls;

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
GROUP BY
    day,
    server_name,
    tool_name,
    environment,
    catalogue_hash;
