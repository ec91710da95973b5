-- The applied files of this directory. Serves the migration at every start of the service.
--
-- Key: the version; the newest row of a version wins.
-- Cardinality: one row per file.
-- Rejected: one checksum of all files, because it cannot name the file that was changed after it was applied.

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
