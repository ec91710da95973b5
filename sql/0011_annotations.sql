-- Notes in time: a deploy, an incident, a changed description. Serves the fine verticals in every chart.
--
-- Key: time first, as a chart asks for all of its range; few enough that the server is filtered, not searched.
-- Cardinality: a handful a day. No TTL: a note explains figures that are kept longer than calls.
-- Rejected: deriving deploys from versions in `tool_minutes` at read time (a person's note has no version).

CREATE TABLE IF NOT EXISTS annotations
(
    id          String,
    at          DateTime64(3, 'UTC'),
    kind        LowCardinality(String),
    server_name LowCardinality(String),
    environment LowCardinality(String),
    text        String,
    revision    UInt64
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (at, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
