-- Days of clients and versions learn what days of tools know: the definition that calls met, and the sizes of their results. Serves
-- the page of a tool under a filter by client or version, which read thirty days of single calls before; and learn whose fault
-- failures were, for the clients of the overview, which counted the failed calls of thirty days.
--
-- Key: as it was, with the catalogue last: one tool of one client lies in a granule or two of a day, and the others need not be
-- read. A version of a server has one catalogue as a rule, so there are hardly more rows.
-- Columns, states and sizes as in `tool_days`.
-- What was stored before is counted again: a row's catalogue is part of its key, and no column can be added to a row that
-- is made of calls of several. As in the first filling, block by block, and a start that was killed meanwhile begins again.
-- The table stays, and with it the retention it was given.
-- Cardinality: as before, times the catalogues that one version has.
-- Rejected: a table of its own (the same rows twice, and twice the work of every insert); maps by client in `tool_days` (no
-- filter reaches into a state).

ALTER TABLE client_days
    ADD COLUMN IF NOT EXISTS catalogue_hash LowCardinality(String) CODEC(ZSTD(1)) AFTER server_version,
    ADD COLUMN IF NOT EXISTS client_errors SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)) AFTER errors,
    ADD COLUMN IF NOT EXISTS results AggregateFunction(quantilesBFloat16(0.95), UInt64) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS sized_calls SimpleAggregateFunction(sumMap, Map(UInt8, UInt64)) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS sized_timed SimpleAggregateFunction(sumMap, Map(UInt8, UInt64)) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS sized_durations AggregateFunction(quantilesBFloat16Map(0.5, 0.95, 0.99), Map(UInt8, UInt64)) CODEC(ZSTD(1)),
    MODIFY ORDER BY (server_name, client_name, server_version, tool_name, environment, catalogue_hash);

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
FROM kept_client_calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required'
GROUP BY
    day,
    server_name,
    tool_name,
    environment,
    client_name,
    server_version,
    catalogue_hash;

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
GROUP BY
    day,
    server_name,
    tool_name,
    environment,
    client_name,
    server_version,
    catalogue_hash;
