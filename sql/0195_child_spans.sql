-- What a tool did during a call: database queries, HTTP requests and other spans below the span of the call. Serves the
-- waterfall of a call and the dependencies of a tool.
--
-- Key: server and tool, because the dependencies of one tool are read together; then the hour and the id of the call,
--   which finds the spans of one call.
-- Columns: `started_at` is the start of the call and the same in all of its rows; a span starts `offset_us` after it.
--   `call_us`, the time of the call, is in the row of one span of each call and 0 in the others, so that a sum counts
--   each call once. `is_nested`: a span above it talks to a dependency, whose time includes this one.
-- Trap: ids inside a call have 32 bits; `parent_id` 0 is the call. The engine replaces repeated rows late: read one
--   call with LIMIT 1 BY child_id.
-- Cardinality: at most 64 rows per call, and a limit per day (setting `childSpansPerDay`).
-- Measured: 18 bytes a row with five spans in each of 200,000 calls; 41 with one span each, of which 25 are the ids of
--   the call. The dependencies of one tool among a million rows take 28 ms.
-- Rejected: full span ids (8 bytes a row that do not compress; the trace id leads to other tracing tools). Statements,
--   URLs and attributes (contents). Rows by trace alone, joined when read (agents and HTTP servers send many spans of
--   the same traces that belong to no call).

CREATE TABLE IF NOT EXISTS child_spans
(
    server_name    LowCardinality(String) CODEC(ZSTD(1)),
    tool_name      LowCardinality(String) CODEC(ZSTD(1)),
    environment    LowCardinality(String) CODEC(ZSTD(1)),
    server_version LowCardinality(String) CODEC(ZSTD(1)),
    client_name    LowCardinality(String) CODEC(ZSTD(1)),
    trace_id       String CODEC(ZSTD(1)),
    span_id        String CODEC(ZSTD(1)),
    started_at     DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    call_us        UInt64 CODEC(ZSTD(1)),
    child_id       UInt32 CODEC(ZSTD(1)),
    parent_id      UInt32 CODEC(ZSTD(1)),
    offset_us      Int64 CODEC(T64, ZSTD(1)),
    duration_us    UInt64 CODEC(T64, ZSTD(1)),
    name           LowCardinality(String) CODEC(ZSTD(1)),
    kind           LowCardinality(String) CODEC(ZSTD(1)),
    dependency     LowCardinality(String) CODEC(ZSTD(1)),
    failed         UInt8 CODEC(ZSTD(1)),
    error_type     LowCardinality(String) CODEC(ZSTD(1)),
    is_nested      UInt8 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toDate(started_at)
PRIMARY KEY (server_name, tool_name, toStartOfHour(started_at), span_id)
ORDER BY (server_name, tool_name, toStartOfHour(started_at), span_id, trace_id, child_id)
TTL toDateTime(started_at) + INTERVAL 7 DAY DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
