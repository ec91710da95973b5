-- How a session began, paused and ended. Serves the chips of the list of sessions (ended on an error, long pause, connected
-- without a call) and the clients that connect again and again.
--
-- Key: as it is. Every new column is a maximum or a set, so a row that is stored twice changes nothing: the last statement,
-- which fills in what was stored before, may run again after a start that was killed.
-- `last_call`: start of the newest tool call in microseconds, times four, plus its fault (0 none, 1 client, 2 server), so that
-- one maximum of a number keeps the two together. 0 where there is no call, or none is known.
-- `active_slots`: the slots of five minutes of the day (0 to 287) in which a request was going on. A hole between them is a
-- pause, known to within five minutes; the pauses themselves cannot be merged from parts of a session.
-- Sessions whose calls were dropped before this ran keep 0 and the empty set: how they ended is not known.
-- Cardinality: as before, a row per session and day.
-- Rejected: an `argMax` state (not what a maximum of a number cannot do); a window over `calls` at read time (it grows with
-- calls instead of sessions).

ALTER TABLE sessions
    ADD COLUMN IF NOT EXISTS connected SimpleAggregateFunction(max, UInt8) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS listed SimpleAggregateFunction(max, UInt8) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS last_call SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS active_slots SimpleAggregateFunction(groupUniqArrayArray(288), Array(UInt16)) CODEC(ZSTD(1));

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
    ) AS active_slots
FROM calls AS request
WHERE side = 'server' AND session_id != ''
GROUP BY
    day,
    server_name,
    session_source,
    session_id;

INSERT INTO sessions (day, server_name, session_source, session_id, started_at, ended_at, connected, listed, last_call, active_slots)
SELECT
    toDate(request.started_at) AS day,
    server_name,
    session_source,
    session_id,
    min(request.started_at) AS started_at,
    max(request.started_at + toIntervalMicrosecond(duration_us)) AS ended_at,
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
    ) AS active_slots
FROM calls AS request
WHERE side = 'server' AND session_id != ''
GROUP BY
    day,
    server_name,
    session_source,
    session_id
SETTINGS max_partitions_per_insert_block = 0, max_bytes_before_external_group_by = 500000000;
