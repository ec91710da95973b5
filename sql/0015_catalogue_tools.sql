-- Which definition of a tool stands in which catalogue. Serves the versions on a tool's page: a call carries the hash of the
-- catalogue it met, and this says which definition that was.
--
-- Key: server, catalogue, tool: a tool's calls are counted per catalogue first, and a server has few of those.
-- One catalogue has one definition of a tool, so the definition is no part of the key; the hash covers it.
-- `first_listed` of a catalogue without a tool is when that tool was taken away.
-- What was listed before this table was made is not in it: calls that met it belong to no version, and are counted so.
-- No TTL, as the tools themselves. Cardinality: servers x catalogues x tools; a new build is a new catalogue only if a
-- definition changed.
-- Rejected: the definition's hash as a column of `calls` (the host would have to hash each definition, and what is stored
-- would stay without it).

CREATE TABLE IF NOT EXISTS catalogue_tools
(
    server_name     LowCardinality(String) CODEC(ZSTD(1)),
    catalogue_hash  String CODEC(ZSTD(1)),
    tool_name       LowCardinality(String) CODEC(ZSTD(1)),
    definition_hash SimpleAggregateFunction(any, UInt64) CODEC(ZSTD(1)),
    first_listed    SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_listed     SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    environments    SimpleAggregateFunction(groupUniqArrayArray(100), Array(String)) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (server_name, catalogue_hash, tool_name)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS catalogue_tools_from_listings TO catalogue_tools AS
SELECT
    server_name,
    catalogue_hash,
    tool_name,
    any(listing.definition_hash) AS definition_hash,
    min(listed_at) AS first_listed,
    max(listed_at) AS last_listed,
    groupUniqArray(100)(environment) AS environments
FROM tool_listings AS listing
WHERE catalogue_hash != ''
GROUP BY
    server_name,
    catalogue_hash,
    tool_name;
