-- Which results fed which arguments. Serves the page of the flow between tools and the page of a session.
--
-- Key: that of `calls`; rows stored before this file have none of it.
-- Columns: two texts of few different values (paths and names of tools, no value), so that a page groups them as numbers and
--   parses each once. The ids of the source calls are apart, because they differ in every row.
-- Trap: `LIKE` on a text of JSON finds nothing reliably; group by the text, and parse it in the service.
-- Cardinality: a tool has about as many texts as it has ways to be called; most calls have no source.
-- Rejected: a table of edges (it would need its own purge, retention and export, and the time of the call again). Nested arrays
--   (three columns of offsets for what is mostly empty).

ALTER TABLE calls
    ADD COLUMN IF NOT EXISTS argument_origins LowCardinality(String) CODEC(ZSTD(1)) AFTER arguments_bytes;

ALTER TABLE calls
    ADD COLUMN IF NOT EXISTS argument_sources String CODEC(ZSTD(1)) AFTER argument_origins;

ALTER TABLE calls
    ADD COLUMN IF NOT EXISTS result_fields LowCardinality(String) CODEC(ZSTD(1)) AFTER result_bytes;
