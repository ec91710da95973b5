-- First and last call of every tool name that was ever called. Serves never-called tools and "not called for thirty
-- days", both beyond the retention of the calls.
--
-- Key: server, environment, tool; the environment, because a tool that only tests call is never called in
--   production.
-- Trap: no count: it could not be rebuilt, because the calls expire and this table does not. First and last can,
--   from any day of calls.
-- Cardinality: names that were called, invented ones included, about thirty bytes each. No TTL.
-- Rejected: reading `tool_hours` (thirteen months of rows for one bit). A row per day and name (a new partition a
--   day, forever).

CREATE TABLE IF NOT EXISTS tool_usage
(
    server_name LowCardinality(String) CODEC(ZSTD(1)),
    environment LowCardinality(String) CODEC(ZSTD(1)),
    tool_name   LowCardinality(String) CODEC(ZSTD(1)),
    first_call  SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_call   SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (server_name, environment, tool_name)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tool_usage_from_calls TO tool_usage AS
SELECT
    server_name,
    environment,
    tool_name,
    min(started_at) AS first_call,
    max(started_at) AS last_call
FROM calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required'
GROUP BY server_name, environment, tool_name;
