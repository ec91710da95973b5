-- Every change of the state of an alert. Serves the history on the page of alerts; the service keeps the current
-- state on disk.
--
-- Key: rule, labels (their fingerprint), time, because a history is read for one of them.
-- Columns: `sentence` is the text of the alert at that time: its loop or session may expire long before the event.
-- Cardinality: a few per rule and day. Partition: by month.
-- Rejected: the current state in this table (it changes in place, and must be known before the store responds). The
--   sentence as a label (labels are filtered by).

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
    labels       Map(LowCardinality(String), String),
    sentence     String DEFAULT '' CODEC(ZSTD(1))
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
