-- What an answer is (nothing found, still going on, done) and what a failure says, as a keyed fingerprint. Serves the loop
-- detector, which reads both with a session's calls.
--
-- Key: that of `calls`; neither is filtered by.
-- Cardinality: four traits; most calls do not fail, so most fingerprints are 0 and cost next to nothing.
-- Rejected: a new table (every reader of a session's calls would join it).

ALTER TABLE calls ADD COLUMN IF NOT EXISTS error_fingerprint UInt64 CODEC(ZSTD(1)) AFTER error_argument;

ALTER TABLE calls ADD COLUMN IF NOT EXISTS result_trait LowCardinality(String) CODEC(ZSTD(1)) AFTER result_similarity;
