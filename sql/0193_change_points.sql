-- Changes of level: since when a tool or server fails more, is slower, or is called more or less than usual, each one
-- row in its newest state. Serves the page of changes, "What changed" and the markers of charts.
--
-- Key: the server, then the change, whose id follows from what changed and its onset.
-- Trap: a change is written again when it ends, and the highest `revision` wins, so every read uses FINAL.
-- Columns: `tool_name` is empty for the server as a whole, `ended_at` is 1970 while it is open. `hits` are the failed
--   or slow calls of `calls`, or for `calls` all calls in `minutes`; `usual` how many of them are usual. `causes` is
--   JSON text, shown and never filtered by.
-- Partition: by month of the onset.
-- Cardinality: a few a week; the detector allows at most one false one a week and server.
-- Rejected: computing them when a page is opened (a scan of all minutes for each page, and "since when" would depend
--   on the range that is shown).

CREATE TABLE IF NOT EXISTS change_points
(
    id            String,
    server_name   LowCardinality(String),
    environment   LowCardinality(String),
    tool_name     LowCardinality(String),
    kind          LowCardinality(String),
    direction     LowCardinality(String),
    code          LowCardinality(String),
    state         LowCardinality(String),
    onset         DateTime('UTC'),
    detected_at   DateTime('UTC'),
    ended_at      DateTime('UTC'),
    calls         UInt64,
    hits          UInt64,
    usual         Float64,
    minutes       UInt32,
    p95_before_us UInt64,
    p95_after_us  UInt64,
    causes        String CODEC(ZSTD(3)),
    revision      UInt64
)
ENGINE = ReplacingMergeTree(revision)
PARTITION BY toYYYYMM(onset)
ORDER BY (server_name, environment, id)
TTL onset + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
