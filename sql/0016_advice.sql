-- Advice that was given, in its newest state, and advice that a person put aside. Serves the list of advice: "gone since 1.4.3"
-- can only be said by whoever remembers that it was shown.
--
-- Key: of what was seen, server and advice: one server's is read whole; of what was put aside, the advice. The highest
-- `revision` wins, and a `withdrawn` dismissal was taken back, so every read uses FINAL.
-- `definition_hash` and `server_version` are those of the definition it was last seen on; `finding` is the advice as it was
-- told then, as JSON, shown and never filtered by. It holds counts and the author's names, no values of calls.
-- Written again at most once an hour while it is seen. Cardinality: findings x servers, some hundreds; no TTL.
-- Rejected: a row per evaluation (nobody asks how it stood on a Tuesday; the calls themselves say that for a month); a reason
-- as a column of `advice_seen` (what is seen is written by the service, and would undo what a person wrote).

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
