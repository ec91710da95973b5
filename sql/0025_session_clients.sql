-- Which clients and versions of a server a session's calls came with, and a number that stands for its identity. Serves every
-- figure of sessions under a filter by client or version, which asked the single calls before.
--
-- Key: as it is. The sets hold every name of the day's requests, the empty one too; a set of twenty is full and may lack some,
-- so whoever reads it asks the calls of such a session. A set that is stored twice changes nothing: the statement
-- that fills in what was stored before may run again after a start that was killed.
-- Rows that the last but one adds are merged at once: two rows of a session and day cost every read twice.
-- `identity_hash` is what reads group by: 64 bits instead of three texts. Rows of one session have one.
-- Sessions whose calls were dropped before this ran have empty sets; their range is refused under these filters anyway.
-- Cardinality: as before, a row per session and day.
-- Rejected: a row per session, client and version (a second rollup of nearly the same rows); the maximum that `client_name`
-- keeps (a session with two clients was lost to one of them).

ALTER TABLE sessions
    ADD COLUMN IF NOT EXISTS clients SimpleAggregateFunction(groupUniqArrayArray(20), Array(String)) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS versions SimpleAggregateFunction(groupUniqArrayArray(20), Array(String)) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS identity_hash UInt64 MATERIALIZED cityHash64(server_name, session_source, session_id) CODEC(ZSTD(1));

ALTER TABLE sessions MATERIALIZE COLUMN identity_hash SETTINGS mutations_sync = 1;

DROP VIEW IF EXISTS sessions_from_calls;

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
GROUP BY
    day,
    server_name,
    session_source,
    session_id;

INSERT INTO sessions (day, server_name, session_source, session_id, started_at, ended_at, clients, versions)
SELECT
    toDate(request.started_at) AS day,
    server_name,
    session_source,
    session_id,
    min(request.started_at) AS started_at,
    max(request.started_at + toIntervalMicrosecond(duration_us)) AS ended_at,
    groupUniqArray(20)(toString(request.client_name)) AS clients,
    groupUniqArray(20)(toString(request.server_version)) AS versions
FROM calls AS request
WHERE side = 'server' AND session_id != ''
GROUP BY
    day,
    server_name,
    session_source,
    session_id
SETTINGS max_partitions_per_insert_block = 0, max_bytes_before_external_group_by = 500000000;

OPTIMIZE TABLE sessions FINAL SETTINGS optimize_skip_merged_partitions = 1;
