-- The tools that servers offer, apart for each environment. Serves never-called tools: staging and production list other
-- versions of a tool, and without the environment each listing of one made the other's tools look retired.
--
-- Key: the environment comes last, behind the definition: the newest catalogue is looked for in a full read of a small table,
-- and a column that is new in a statement may only be added at the end of a key. So nothing is copied, and a start that was
-- killed in between runs both statements again.
-- What was stored before has an empty environment and several names in `environments`; what is stored from now on has one
-- name in both. Reads go by `environments`, and a server's next listing, hourly at the latest, makes the old rows history.
-- Cardinality: servers x tools x versions x environments.
-- Rejected: another table with the environment in front, filled from this one (two hundred rows do not need it, and its
-- copy would have to survive being half done); deriving it from `tool_usage` (a tool that was never called is not in it).

ALTER TABLE tools
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) CODEC(ZSTD(1)),
    MODIFY ORDER BY (server_name, tool_name, definition_hash, environment);

DROP VIEW IF EXISTS tools_from_listings;

CREATE MATERIALIZED VIEW IF NOT EXISTS tools_from_listings TO tools AS
SELECT
    server_name,
    environment,
    tool_name,
    definition_hash,
    any(listing.definition) AS definition,
    min(listed_at) AS first_seen,
    max(listed_at) AS last_listed,
    countIf(origin = 'list') AS listings,
    groupUniqArray(100)(listing.environment) AS environments,
    groupUniqArray(100)(server_version) AS versions
FROM tool_listings AS listing
GROUP BY
    server_name,
    environment,
    tool_name,
    definition_hash;
