-- Advice that was given, in its newest state, and advice that was dismissed. Serves the list of advice: only a
-- record of what was shown can say "resolved since 1.4.3".
--
-- Key: `advice_seen` by server and advice, because that of one server is read whole; `advice_dismissals` by advice.
-- Trap: the highest `revision` wins, and a `withdrawn` dismissal was taken back, so every read uses FINAL.
-- Columns: `definition_hash` and `server_version` are those of the definition it was last given for. `finding` is
--   its text as JSON, shown and never filtered by; it contains counts and names from definitions, no values of
--   calls. Written at most once an hour.
-- Cardinality: advice x servers, some hundreds. No TTL.
-- Rejected: a row per evaluation (the calls can show a past state for a month). The reason of a dismissal as a
--   column of `advice_seen` (the service would overwrite what a person wrote).

CREATE TABLE IF NOT EXISTS advice_seen
(
    id              String,
    server_name     LowCardinality(String),
    rule            LowCardinality(String),
    tool_name       LowCardinality(String),
    first_seen      DateTime64(3, 'UTC'),
    last_seen       DateTime64(3, 'UTC'),
    definition_hash UInt64,
    server_version  LowCardinality(String),
    finding         String CODEC(ZSTD(3)),
    revision        UInt64
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (server_name, id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS advice_dismissals
(
    id        String,
    reason    String,
    at        DateTime64(3, 'UTC'),
    withdrawn UInt8,
    revision  UInt64
)
ENGINE = ReplacingMergeTree(revision, withdrawn)
ORDER BY id
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
