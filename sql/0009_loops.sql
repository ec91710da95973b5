-- Loops that were found, in their newest state. Serves the list of loops and their number per session.
--
-- Key: the session's identity, then the loop: a session's loops are read together. A loop is written again as it goes on; the
-- highest `revision` wins, so reads use FINAL or argMax.
-- Partition: by month of the onset, which never changes; thirteen months are kept.
-- Cardinality: a few per hundred sessions. Evidence is JSON text, as it is shown and never filtered by.
-- Rejected: one row per repeat (a loop of two hundred calls would be two hundred rows that say one thing).

CREATE TABLE IF NOT EXISTS loops
(
    id             String,
    server_name    LowCardinality(String),
    environment    LowCardinality(String),
    session_source LowCardinality(String),
    session_id     String,
    plan_id        String,
    kind           LowCardinality(String),
    severity       LowCardinality(String),
    state          LowCardinality(String),
    tools          Array(LowCardinality(String)),
    period         UInt32,
    repeats        UInt32,
    wasted_calls   UInt32,
    wasted_us      UInt64,
    onset          DateTime64(6, 'UTC'),
    last_at        DateTime64(6, 'UTC'),
    evidence       String CODEC(ZSTD(3)),
    revision       UInt64
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toYYYYMM(onset)
ORDER BY (server_name, session_source, session_id, id)
TTL toDateTime(onset) + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
