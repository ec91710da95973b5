-- Annotations: a deploy, an incident, a changed description. Serves the vertical markers in every chart.
--
-- Key: time first, because a chart reads all of its range; there are too few to need the server.
-- Trap: an annotation is withdrawn by a next revision, because deleting a row is a mutation that may be applied
--   late. Reads use FINAL.
-- Cardinality: a handful a day. No TTL: an annotation explains stats that are kept longer than calls.
-- Rejected: deriving deploys from the versions in `tool_minutes` (an annotation by a person has no version).

CREATE TABLE IF NOT EXISTS annotations
(
    id          String,
    at          DateTime64(3, 'UTC'),
    kind        LowCardinality(String),
    server_name LowCardinality(String),
    environment LowCardinality(String),
    text        String,
    revision    UInt64,
    withdrawn   UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (at, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
