-- Services that use a database of a ClickHouse server. Serves a restore, which replaces the database and must know
-- that no service uses it. The embedded engine has a lock of the kernel instead, and no rows here.
--
-- Key: one row per service, written again while it runs; the newest wins, so every read uses FINAL. Times are the
--   server's own.
-- Cardinality: a handful; a row expires a day after its service stopped.
-- Rejected: the times of calls (a service without traffic would not be seen). The server's list of queries (it
--   requires a privilege that the service does not need otherwise).

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
