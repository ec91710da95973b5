-- Loops that were found, in their newest state. Serves the page of loops, a session's loops and their number per session, and
-- the follower, which reads a session's loops before it replays that session.
--
-- Key: the session's identity, then the loop: a session's loops are read together. A loop is written again as it goes on; the
-- highest `revision` wins, and a `withdrawn` one (a late call showed that it was none) is gone, so every read uses FINAL.
-- Partition: by month of the onset, which hardly ever changes; thirteen months are kept.
-- Cardinality: a few per hundred sessions. Evidence and thresholds are JSON text, as they are shown and never filtered by; the
-- calls that prove a loop are kept in it, because `calls` forgets them after a month.
-- `severity` is `note` for what came within one call of being a loop; only `suspected` and `confirmed` count as one.
-- `thresholds` and `detector_version` say by which rules it was judged: what is judged otherwise later is not rewritten.
-- Rejected: one row per repeat (a loop of two hundred calls would be two hundred rows that say one thing).

CREATE TABLE IF NOT EXISTS loops
(
    id               String,
    server_name      LowCardinality(String),
    environment      LowCardinality(String),
    session_source   LowCardinality(String),
    session_id       String,
    client_name      LowCardinality(String),
    plan_id          String,
    kind             LowCardinality(String),
    severity         LowCardinality(String),
    state            LowCardinality(String),
    tools            Array(LowCardinality(String)),
    period           UInt32,
    repeats          UInt32,
    wasted_calls     UInt32,
    wasted_us        UInt64,
    onset            DateTime64(6, 'UTC'),
    last_at          DateTime64(6, 'UTC'),
    detected_at      DateTime64(6, 'UTC'),
    sentence         String CODEC(ZSTD(3)),
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
