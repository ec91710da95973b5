-- One agent run against one server. Serves the list of sessions and its filters, sessions of more than thirty
-- calls, the head of the page of a session, and the time bounds within which its calls are read.
--
-- Key: the identity (server, source, id). A session that crosses midnight has a row per day, and rows of a day
--   merge later, so every read aggregates over the identity, by `identity_hash`: 64 bits instead of three texts.
-- Partition: by day of the call, not of the start of the session, which no call knows; filled from `calls`, so that
--   a day can be rebuilt alone.
-- Trap: filled from every request that the server answered, so that sessions which only listed tools are known;
--   `calls` and `errors` count `tools/call` without interim answers. Requests without a session id are in no
--   session.
-- Columns: names that only some requests of a session carry are kept by `max`: the empty text loses. New columns
--   must be a maximum or a set, so that storing a row twice changes nothing.
--   `last_call`: start of the newest tool call in microseconds, times four, plus its fault (0 none, 1 client, 2
--   server), so that one maximum keeps the two together. 0 without a call.
--   `active_slots`: five-minute slots of the day (0 to 287) with a request. A gap is a pause, known to within five
--   minutes.
--   `clients`, `versions`: every name of the day, the empty one too. A set of twenty is full and may lack some:
--   read the calls then.
-- Cardinality: one row per session and day, a tenth to a thirtieth of the calls.
-- Rejected: `any` for the names (keeps the first, which may be empty). Grouping the calls when reading (11 ms
--   instead of 6 with 120,000 calls, and grows with the calls). An `argMax` state for the last call. A row per
--   session, client and version (a second rollup of almost the same rows).

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
    tools              SimpleAggregateFunction(groupUniqArrayArray(100), Array(String)) CODEC(ZSTD(1)),
    connected          SimpleAggregateFunction(max, UInt8) CODEC(ZSTD(1)),
    listed             SimpleAggregateFunction(max, UInt8) CODEC(ZSTD(1)),
    last_call          SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)),
    active_slots       SimpleAggregateFunction(groupUniqArrayArray(288), Array(UInt16)) CODEC(ZSTD(1)),
    clients            SimpleAggregateFunction(groupUniqArrayArray(20), Array(String)) CODEC(ZSTD(1)),
    versions           SimpleAggregateFunction(groupUniqArrayArray(20), Array(String)) CODEC(ZSTD(1)),
    identity_hash      UInt64 MATERIALIZED cityHash64(server_name, session_source, session_id) CODEC(ZSTD(1))
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
    groupUniqArrayIf(100)(tool_name, tool_name != '') AS tools,
    max(method IN ('initialize', 'server/discover')) AS connected,
    max(method = 'tools/list') AS listed,
    maxIf(
        toUInt64(toUnixTimestamp64Micro(request.started_at)) * 4 + multiIf(fault = 'client', 1, fault = 'server', 2, 0),
        method = 'tools/call' AND outcome != 'input_required'
    ) AS last_call,
    groupUniqArrayArray(288)(
        range(
            toUInt16(intDiv(toUnixTimestamp(request.started_at) % 86400, 300)),
            toUInt16(least(287, intDiv(toUnixTimestamp(request.started_at) % 86400 + intDiv(duration_us, 1000000), 300)) + 1)
        )
    ) AS active_slots,
    groupUniqArray(20)(toString(request.client_name)) AS clients,
    groupUniqArray(20)(toString(request.server_version)) AS versions
FROM calls AS request
WHERE side = 'server' AND session_id != ''
GROUP BY day, server_name, session_source, session_id;
