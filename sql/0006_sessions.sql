-- One agent run against one server. Serves the list of sessions, the sessions over thirty invocations, the head of a
-- session's page, and the bounds within which its calls are read.
--
-- Key: the identity (server, source, id); strangers are never merged. A session that crosses midnight has a row per day, and rows
-- of one day merge some time later: every read aggregates again over the identity.
-- Partition: by day of the call and not of the session's start, which no call knows; filled from `calls`, so that a day
-- can be rebuilt alone.
-- Fed by every request the server answered, so that a session which only listed tools is known; `calls` and `errors` count
-- `tools/call` without interim rounds. Requests without any session id are in no session.
-- Names and ids that a session has one of, but not on every request, are kept by `max`: the empty text loses.
-- Cardinality: one row per session and day, a tenth to a thirtieth of the calls.
-- Rejected: `any` for the names (it keeps whichever came first, and that may be empty); a row per call to be grouped at
-- read time (11 ms for 6 at 120,000 calls, and growing with calls instead of sessions).

CREATE TABLE IF NOT EXISTS sessions
(
    day                Date CODEC(ZSTD(1)),
    server_name        LowCardinality(String) CODEC(ZSTD(1)),
    session_source     LowCardinality(String) CODEC(ZSTD(1)),
    session_id         String CODEC(ZSTD(1)),
    session_confidence SimpleAggregateFunction(max, LowCardinality(String)) CODEC(ZSTD(1)),
    plan_id            SimpleAggregateFunction(max, String) CODEC(ZSTD(1)),
    environment        SimpleAggregateFunction(max, LowCardinality(String)) CODEC(ZSTD(1)),
    server_version     SimpleAggregateFunction(max, LowCardinality(String)) CODEC(ZSTD(1)),
    client_name        SimpleAggregateFunction(max, LowCardinality(String)) CODEC(ZSTD(1)),
    client_version     SimpleAggregateFunction(max, LowCardinality(String)) CODEC(ZSTD(1)),
    started_at         SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    ended_at           SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    requests           SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    calls              SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    errors             SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    tools              SimpleAggregateFunction(groupUniqArrayArray(100), Array(String)) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY day
ORDER BY (server_name, session_source, session_id)
TTL day + INTERVAL 13 MONTH DELETE
SETTINGS
    ttl_only_drop_parts = 1,
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS sessions_from_calls TO sessions AS
SELECT
    toDate(request.started_at) AS day,
    server_name,
    session_source,
    session_id,
    max(request.session_confidence) AS session_confidence,
    max(request.plan_id) AS plan_id,
    max(request.environment) AS environment,
    max(request.server_version) AS server_version,
    max(request.client_name) AS client_name,
    max(request.client_version) AS client_version,
    min(request.started_at) AS started_at,
    max(request.started_at + toIntervalMicrosecond(duration_us)) AS ended_at,
    count() AS requests,
    countIf(method = 'tools/call' AND outcome != 'input_required') AS calls,
    countIf(method = 'tools/call' AND outcome != 'input_required' AND fault != 'none') AS errors,
    groupUniqArrayIf(100)(tool_name, tool_name != '') AS tools
FROM calls AS request
WHERE side = 'server' AND session_id != ''
GROUP BY
    day,
    server_name,
    session_source,
    session_id;
