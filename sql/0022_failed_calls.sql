-- Calls that failed, once more and by tool. Serves the failure groups on a tool's page, their newest samples, and what became of
-- failures that advice was about: some in a hundred calls, which lie in `calls` between all the others of a server.
--
-- Key: server, tool, time: a page asks for one tool, newest samples first.
-- Columns are those of `calls` that are grouped by, filtered for or linked to; what was said is a masked template, or what was
-- captured, and goes when its call goes: with the retention of calls, and with every purge.
-- Partition: by day, and filled from `calls`, so that a day can be made anew alone. What was stored before is filled in, but for
-- what is there: a start that was killed meanwhile does it again.
-- No engine that replaces: what is in it twice is found beside the calls and made anew, as in every rollup.
-- Cardinality: the calls that failed; some forty bytes each.
-- Measured: with 10 million calls in 30 days, of which 7 in 100 failed, the groups and samples of the most called tool cost 60 ms
-- where they cost 1,500 from `calls`.
-- Rejected: counts by group and hour (samples need the calls, and messages that are all different would make it as long); a
-- projection of `calls` (none may be where rows are deleted).

CREATE TABLE IF NOT EXISTS failed_calls
(
    trace_id       String CODEC(ZSTD(1)),
    span_id        String CODEC(ZSTD(1)),
    server_name    LowCardinality(String) CODEC(ZSTD(1)),
    tool_name      LowCardinality(String) CODEC(ZSTD(1)),
    started_at     DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    environment    LowCardinality(String) CODEC(ZSTD(1)),
    server_version LowCardinality(String) CODEC(ZSTD(1)),
    client_name    LowCardinality(String) CODEC(ZSTD(1)),
    session_source LowCardinality(String) CODEC(ZSTD(1)),
    session_id     String CODEC(ZSTD(1)),
    plan_id        String CODEC(ZSTD(1)),
    outcome        LowCardinality(String) CODEC(ZSTD(1)),
    fault          LowCardinality(String) CODEC(ZSTD(1)),
    error_code     LowCardinality(String) CODEC(ZSTD(1)),
    error_message  String CODEC(ZSTD(3)),
    error_argument LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toDate(started_at)
PRIMARY KEY (server_name, tool_name)
ORDER BY (server_name, tool_name, started_at, span_id, trace_id)
TTL toDateTime(started_at) + INTERVAL 30 DAY DELETE
SETTINGS
    index_granularity = 1024,
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS failed_calls_from_calls TO failed_calls AS
SELECT
    trace_id,
    span_id,
    server_name,
    tool_name,
    started_at,
    environment,
    server_version,
    client_name,
    session_source,
    session_id,
    plan_id,
    outcome,
    fault,
    error_code,
    error_message,
    error_argument
FROM calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required' AND fault != 'none';

INSERT INTO failed_calls
SELECT
    trace_id,
    span_id,
    server_name,
    tool_name,
    started_at,
    environment,
    server_version,
    client_name,
    session_source,
    session_id,
    plan_id,
    outcome,
    fault,
    error_code,
    error_message,
    error_argument
FROM calls
WHERE
    side = 'server' AND method = 'tools/call' AND outcome != 'input_required' AND fault != 'none'
    AND (toDate(started_at), cityHash64(trace_id, span_id)) NOT IN (
        SELECT toDate(started_at), cityHash64(trace_id, span_id) FROM failed_calls)
SETTINGS max_partitions_per_insert_block = 0;
