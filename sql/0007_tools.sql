-- The tools that servers offer, one row per version of a definition. Serves never-called tools, the versions on a tool's
-- page, and what a definition costs in every listing.
--
-- Key: server, tool, hash of the definition: a changed description is another row, a server asked a thousand times is not.
-- A tool that is missing from its server's newest listing has an older `last_listed` than the server's others: it is retired,
-- not never called.
-- `listings` counts answers to agents (`tools/list`); a catalogue the wrapper read at start makes a tool known and no more.
-- `tool_listings` keeps nothing: it is the door through which the service writes, and the view behind it aggregates.
-- No TTL: a tool does not become unknown by being old. Cardinality: servers x tools x versions.
-- Rejected: argMax of the newest definition per tool (the history is the question: what did the change do to the errors?).

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
    versions        SimpleAggregateFunction(groupUniqArrayArray(100), Array(String)) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (server_name, tool_name, definition_hash)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tools_from_listings TO tools AS
SELECT
    server_name,
    tool_name,
    definition_hash,
    any(listing.definition) AS definition,
    min(listed_at) AS first_seen,
    max(listed_at) AS last_listed,
    countIf(origin = 'list') AS listings,
    groupUniqArray(100)(environment) AS environments,
    groupUniqArray(100)(server_version) AS versions
FROM tool_listings AS listing
GROUP BY
    server_name,
    tool_name,
    definition_hash;
