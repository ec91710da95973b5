-- Every change of an alert's state. Serves the history of an alert; what fires now is kept by the service, not here.
--
-- Key: rule, then what it fired for, then time: a history is read for one of them.
-- Cardinality: a few per rule and day. Partition by month, thirteen months kept.
-- Rejected: keeping the current state here as well (it changes in place, and must be known before the store answers).

CREATE TABLE IF NOT EXISTS alert_events
(
    rule_id      String,
    fingerprint  String,
    at           DateTime64(3, 'UTC') CODEC(Delta(8), ZSTD(1)),
    window_start DateTime('UTC'),
    window_end   DateTime('UTC'),
    from_state   LowCardinality(String),
    to_state     LowCardinality(String),
    value        Float64,
    threshold    Float64,
    labels       Map(LowCardinality(String), String)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (rule_id, fingerprint, at)
TTL toDateTime(at) + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 1000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;
