-- Tool calls as agents and their frameworks report them, apart from the calls of servers. Serves the panel of the agent's
-- side on the page of clients and on the page of a session.
--
-- Key: the hour, because all reads take a range of time; then the trace, by which a call of an agent is joined to the
--   call of a server.
-- Columns: `tool_name` as the agent names it, perhaps with a prefix for the server. No arguments and no results.
-- Trap: the engine replaces repeated rows late; read with LIMIT 1 BY trace_id, span_id.
-- Cardinality: one row for each tool call of an agent, and a limit per day (setting `agentCallsPerDay`).
-- Rejected: rows in `calls` with another `side` (every rollup, list and detector would have to leave them out). The
--   joined call in the row (either side may arrive first, and neither waits for the other).

CREATE TABLE IF NOT EXISTS agent_calls
(
    started_at     DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    trace_id       String CODEC(ZSTD(1)),
    span_id        String CODEC(ZSTD(1)),
    parent_span_id String CODEC(ZSTD(1)),
    emitter        LowCardinality(String) CODEC(ZSTD(1)),
    agent          LowCardinality(String) CODEC(ZSTD(1)),
    session_id     String CODEC(ZSTD(1)),
    tool_name      LowCardinality(String) CODEC(ZSTD(1)),
    duration_us    UInt64 CODEC(T64, ZSTD(1)),
    failed         UInt8 CODEC(ZSTD(1)),
    error_type     LowCardinality(String) CODEC(ZSTD(1)),
    error_message  String CODEC(ZSTD(3)),
    INDEX by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(started_at)
PRIMARY KEY (toStartOfHour(started_at), trace_id)
ORDER BY (toStartOfHour(started_at), trace_id, span_id)
TTL toDateTime(started_at) + INTERVAL 30 DAY DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
