-- First and last call of every name stay; how many there were goes. Serves what `tool_usage` serves: nothing asked for the count.
--
-- A count could not be made anew: the calls are dropped after a month, and the table has no age. First and last can, by any day
-- of calls that is looked at again: minimum and maximum take the same rows twice without harm.
-- Key: as it was. Cardinality: as it was, eight bytes less each.
-- Calls that arrive between the two views are missing until their day is reconciled.
-- Rejected: a row a day and name (a partition a day for ever, for a yes or no).

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

DROP VIEW IF EXISTS tool_usage_from_calls;

ALTER TABLE tool_usage DROP COLUMN IF EXISTS calls SETTINGS mutations_sync = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tool_usage_from_calls TO tool_usage AS
SELECT
    server_name,
    environment,
    tool_name,
    min(started_at) AS first_call,
    max(started_at) AS last_call
FROM calls
WHERE side = 'server' AND method = 'tools/call' AND outcome != 'input_required'
GROUP BY
    server_name,
    environment,
    tool_name;
