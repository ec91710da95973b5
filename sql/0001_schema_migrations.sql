-- Which of these files a database has seen. Serves the migration runner, at every start of the service.
--
-- Key: one row per file; the newest row of a version wins.
-- Cardinality: as many rows as there are files here.
-- Rejected: a checksum over all files in one row, which could not say which file was edited after it was applied.

CREATE TABLE IF NOT EXISTS schema_migrations
(
    version    UInt32,
    name       String,
    checksum   String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(applied_at)
ORDER BY version
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
