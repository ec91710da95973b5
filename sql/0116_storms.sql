-- Storms: the same failure or loop in many sessions at once, each one row in its newest state. Serves the list of
--   storms, the page of loops, which groups the loops of a storm, and the detection worker, which continues those
--   that are open.
--
-- Key: the server, then the storm, whose id contains its first call.
-- Trap: a storm is written again as it grows, and the highest `revision` wins, so every read uses FINAL.
-- Partition: by month of its first call.
-- Cardinality: a few a week. The sessions of a storm are not listed: its loops carry its id, and calls are found by
--   code and time.
-- Rejected: a row per session of a storm (thousands of rows with the same content).

CREATE TABLE IF NOT EXISTS storms
(
    id           String,
    server_name  LowCardinality(String),
    environment  LowCardinality(String),
    kind         LowCardinality(String),
    code         LowCardinality(String),
    template     String CODEC(ZSTD(3)),
    tools        Array(LowCardinality(String)),
    sessions     UInt32,
    everybody    UInt8,
    calls        UInt64,
    first_at     DateTime64(6, 'UTC'),
    last_at      DateTime64(6, 'UTC'),
    state        LowCardinality(String),
    sentence     String CODEC(ZSTD(3)),
    cause        LowCardinality(String),
    revision     UInt64
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toYYYYMM(first_at)
ORDER BY (server_name, environment, id)
TTL toDateTime(first_at) + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
