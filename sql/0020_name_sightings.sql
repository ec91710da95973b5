-- When a version of a server, or a client, was first seen. Serves the versions and the new clients among what changed, and so the
-- verticals of deploys in every chart.
--
-- Key: server, what it is, the name; the environment last, because most questions are about all of them.
-- Only minimum and maximum, so a row that is stored twice changes nothing, and the last statement may run again.
-- `sessions` says when a session began and keeps one version of it: a deploy in the middle of one was told hours early or late,
-- and a client without sessions never. What was stored before is filled in from the calls, and from the sessions of days whose
-- calls are gone.
-- Cardinality: names of versions and clients by server and environment, some forty bytes each, kept as long as rollups.
-- Measured: an insert of ten thousand calls takes 7 % longer (medians of eight each, on a busy machine).
-- Rejected: asking `tool_minutes` (eight million rows for a handful of names, and the past beyond a month is not in it).

CREATE TABLE IF NOT EXISTS name_sightings
(
    server_name LowCardinality(String) CODEC(ZSTD(1)),
    part        LowCardinality(String) CODEC(ZSTD(1)),
    name        LowCardinality(String) CODEC(ZSTD(1)),
    environment LowCardinality(String) CODEC(ZSTD(1)),
    first_seen  SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_seen   SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (server_name, part, name, environment)
TTL toDateTime(last_seen) + INTERVAL 13 MONTH DELETE
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS name_sightings_from_calls TO name_sightings AS
SELECT
    server_name,
    named.1 AS part,
    named.2 AS name,
    environment,
    min(first_in) AS first_seen,
    max(last_in) AS last_seen
FROM
(
    SELECT
        server_name,
        environment,
        arrayJoin([('version', toString(server_version)), ('client', toString(client_name))]) AS named,
        min(started_at) AS first_in,
        max(started_at) AS last_in
    FROM calls
    WHERE side = 'server'
    GROUP BY
        server_name,
        environment,
        server_version,
        client_name
)
WHERE name != ''
GROUP BY
    server_name,
    part,
    name,
    environment;

INSERT INTO name_sightings
SELECT
    server_name,
    named.1 AS part,
    named.2 AS name,
    environment,
    min(first_in) AS first_seen,
    max(last_in) AS last_seen
FROM
(
    SELECT
        server_name,
        environment,
        arrayJoin([('version', toString(server_version)), ('client', toString(client_name))]) AS named,
        started_at AS first_in,
        started_at AS last_in
    FROM calls
    WHERE side = 'server'
    UNION ALL
    SELECT
        server_name,
        environment,
        arrayJoin([('version', toString(server_version)), ('client', toString(client_name))]) AS named,
        started_at AS first_in,
        ended_at AS last_in
    FROM sessions
    WHERE day < (SELECT min(toDate(started_at)) FROM calls)
       OR (SELECT count() FROM calls) = 0
)
WHERE name != ''
GROUP BY
    server_name,
    part,
    name,
    environment;
