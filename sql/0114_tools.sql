-- The tools that servers offer: `tools` has one row per version of a definition and environment, `catalogue_tools`
-- the definition of each tool in each catalogue. Serves never-called tools, the versions on the page of a tool, and
-- the tokens that a definition costs. A call carries the hash of the catalogue it met, and `catalogue_tools` maps
-- that to the definition.
--
-- Key: server, tool, hash of the definition: a changed description is another row, a thousand listings of the same
--   are not. The environment is last, because staging and production offer different versions. `catalogue_tools`:
--   server, catalogue, tool, because the calls of a tool are counted per catalogue first; the definition is not in
--   its key, since the hash of the catalogue covers it.
-- Trap: `tool_listings` stores nothing: the service writes to it, and the views aggregate. A tool missing from the
--   newest listing of its server has an older `last_listed` than the others: it was removed, and is not
--   never-called. Rows from before tools were separated by environment have an empty `environment` and several
--   names in `environments`, so reads use the latter.
-- Columns: `listings` counts answers to agents (`tools/list`); a catalogue read at the start makes a tool known,
--   and no more. `first_listed` of the first catalogue without a tool is when it was removed.
-- Cardinality: servers x tools x versions x environments, and servers x catalogues x tools. No TTL: an old tool is
--   still known.
-- Rejected: only the newest definition per tool (the history answers what a change did to the errors). The hash of
--   the definition as a column of `calls` (the instrumented server would have to hash each definition).

CREATE TABLE IF NOT EXISTS tool_listings
(
    server_name     String,
    server_version  String,
    environment     String,
    listed_at       DateTime64(6, 'UTC'),
    origin          String,
    catalogue_hash  String,
    tool_name       String,
    definition      String,
    definition_hash UInt64,
    trace_id        String,
    span_id         String
)
ENGINE = Null;

CREATE TABLE IF NOT EXISTS tools
(
    server_name     LowCardinality(String) CODEC(ZSTD(1)),
    tool_name       LowCardinality(String) CODEC(ZSTD(1)),
    definition_hash UInt64 CODEC(ZSTD(1)),
    definition      SimpleAggregateFunction(any, String) CODEC(ZSTD(3)),
    first_seen      SimpleAggregateFunction(min, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    last_listed     SimpleAggregateFunction(max, DateTime64(6, 'UTC')) CODEC(ZSTD(1)),
    listings        SimpleAggregateFunction(sum, UInt64) CODEC(T64, ZSTD(1)),
    environments    SimpleAggregateFunction(groupUniqArrayArray(100), Array(String)) CODEC(ZSTD(1)),
    versions        SimpleAggregateFunction(groupUniqArrayArray(100), Array(String)) CODEC(ZSTD(1)),
    environment     LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PRIMARY KEY (server_name, tool_name, definition_hash)
ORDER BY (server_name, tool_name, definition_hash, environment)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

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
GROUP BY server_name, environment, tool_name, definition_hash;

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
GROUP BY server_name, catalogue_hash, tool_name;
