-- Which services use the database of a ClickHouse server at the moment. Serves a restore, which replaces the database and has to
-- know first that nobody works in it; the embedded engine has a lock of the kernel, and no rows here.
--
-- Key: one row a service, written again while it runs; the newest holds, so every read uses FINAL. Times are the server's own.
-- Cardinality: a handful; a row is dropped a day after its service was last seen.
-- Rejected: the times of calls (a service without traffic would not be seen), the server's list of queries (it needs a right
-- that a service has no other use for).

CREATE TABLE IF NOT EXISTS store_users
(
    id      String,
    host    String,
    pid     UInt32,
    state   LowCardinality(String),
    seen_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(seen_at)
ORDER BY id
TTL toDateTime(seen_at) + INTERVAL 1 DAY DELETE;
