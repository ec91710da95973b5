-- What the change detector knows of a server: usual levels and evidence, so that a restart continues instead of
-- learning again. Serves the change-point job at its start.
--
-- Key: server and environment; the highest `revision` wins, so reads use FINAL.
-- Columns: `state` is JSON text of counts by tool, code and hour, without sessions. `minute` is the last one that it
--   contains.
-- Cardinality: one row a server and environment, some kilobytes a tool; written every half hour.
-- Rejected: learning again at each start (a fortnight of calls would be read).

CREATE TABLE IF NOT EXISTS change_point_states
(
    server_name LowCardinality(String),
    environment LowCardinality(String),
    minute      DateTime('UTC'),
    state       String CODEC(ZSTD(3)),
    revision    UInt64
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (server_name, environment)
TTL minute + INTERVAL 30 DAY DELETE
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
