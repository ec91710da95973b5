-- Reconciliations of calls and rollups: the range, the differences and the repairs. Serves the last reconciliation
-- in the status of the pipeline, and the next reconciliation, which continues where this one ended.
--
-- Key: the node whose calls were compared, then time: the next one reads the newest row of every node.
-- Columns: `checked_by` is the node that ran it. A node that is gone cannot reconcile its own calls, so another
--   does. `open_days` could not be repaired, or changed meanwhile; the next one includes them.
--   `base_whole_from`: calls from then on had not expired when this ran. The latest of all rows holds, because a
--   longer retention does not bring calls back.
-- Cardinality: one row per reconciliation that found calls, at most one in five minutes; kept for thirteen months.
-- Rejected: a file next to the journal (a backup of the store would not know which of its days are complete).

CREATE TABLE IF NOT EXISTS reconciliations
(
    at                 DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    checked_by         LowCardinality(String) CODEC(ZSTD(1)),
    ingest_node        LowCardinality(String) CODEC(ZSTD(1)),
    from_seq           UInt64 CODEC(ZSTD(1)),
    to_seq             UInt64 CODEC(ZSTD(1)),
    result             LowCardinality(String) CODEC(ZSTD(1)),
    hours              UInt32 CODEC(ZSTD(1)),
    duplicates_removed UInt64 CODEC(ZSTD(1)),
    differences        Map(LowCardinality(String), UInt64) CODEC(ZSTD(1)),
    repaired_days      Array(Date) CODEC(ZSTD(1)),
    open_days          Array(Date) CODEC(ZSTD(1)),
    base_whole_from    DateTime('UTC') CODEC(ZSTD(1)),
    details            String CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (ingest_node, at)
TTL toDateTime(at) + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 1000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
