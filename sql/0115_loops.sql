-- Loops in their newest state. Serves the page of loops, the loops of a session and of a storm, and the detection
-- worker, which reads the loops of a session before it replays the session.
--
-- Key: the identity of the session, then the loop, because the loops of a session are read together. The loops of a
--   storm are found by its id among the few of its server.
-- Trap: a loop is written again while it continues. The highest `revision` wins, and a `withdrawn` loop (a late
--   call disproved it) is removed, so every read uses FINAL.
-- Columns: evidence and thresholds are JSON text, shown and never filtered by. The evidence contains the calls,
--   because `calls` drops them after a month. A `note` was one call short of a loop; only `suspected` and
--   `confirmed` count. `thresholds` and `detector_version` say how it was detected; loops are not rewritten when
--   that changes, and older ones have no tokens and no cause. `tree_sessions` counts the sessions of a run that
--   repeats as a whole; its row has the session of its newest call.
-- Partition: by month of the onset, which rarely changes.
-- Cardinality: a few per hundred sessions.
-- Rejected: one row per repeat (two hundred rows with the same content). A second table for the costs (always read
--   together).

CREATE TABLE IF NOT EXISTS loops
(
    id               String,
    server_name      LowCardinality(String),
    environment      LowCardinality(String),
    session_source   LowCardinality(String),
    session_id       String,
    client_name      LowCardinality(String),
    plan_id          String,
    storm_id         String,
    tree_id          String,
    tree_sessions    UInt32,
    kind             LowCardinality(String),
    severity         LowCardinality(String),
    state            LowCardinality(String),
    tools            Array(LowCardinality(String)),
    period           UInt32,
    repeats          UInt32,
    wasted_calls     UInt32,
    wasted_us        UInt64,
    wasted_tokens    UInt64,
    onset            DateTime64(6, 'UTC'),
    last_at          DateTime64(6, 'UTC'),
    detected_at      DateTime64(6, 'UTC'),
    sentence         String CODEC(ZSTD(3)),
    cause            LowCardinality(String) DEFAULT 'agent',
    cause_sentence   String CODEC(ZSTD(3)),
    evidence         String CODEC(ZSTD(3)),
    thresholds       String CODEC(ZSTD(3)),
    detector_version UInt16,
    withdrawn        UInt8,
    revision         UInt64
)
ENGINE = ReplacingMergeTree(revision, withdrawn)
PARTITION BY toYYYYMM(onset)
ORDER BY (server_name, session_source, session_id, id)
TTL toDateTime(onset) + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
