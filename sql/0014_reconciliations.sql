-- What was checked against the calls, what differed, and what became of it. Serves the last reconciliation on the freshness
-- strip, and the next one, which goes on from where this one ended.
--
-- Key: the node whose calls were checked, then time: the next check asks for the newest row of every node.
-- `checked_by` is the node that did it. A node that is gone cannot check its own calls, so another does; its own position
-- stays its own, since it alone knows which of its calls are stored in full.
-- `open_days` could not be mended, or changed while they were: the next check looks at them again, whatever it finds new.
-- `base_whole_from`: calls from then on had not been dropped by age when this ran. The latest of all rows holds: a retention
-- that is lengthened brings nothing back.
-- Cardinality: a row for each check that found calls, at most one in some minutes; thirteen months are kept.
-- Rejected: a file beside the journal (a backup of the store would not know which of its days are whole).

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
