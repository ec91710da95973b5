-- Loops learn what they cost and why they go on, and which storm or run of several sessions they belong to. Serves the page of
-- loops and of a session, and the page of storms, which lists the sessions that a storm has.
--
-- Key: as it was. The loops of a storm are found by its id among those of its server, of which there are few.
-- Loops that were judged before have no tokens and no sentence of a cause; `detector_version` tells them apart.
-- `tree_sessions` counts the sessions of a run that goes in circles as a whole; such a row stands under the session of its newest call.
-- Cardinality: as before.
-- Rejected: a table of costs beside this one (one row each, read together always).

ALTER TABLE loops
    ADD COLUMN IF NOT EXISTS cause LowCardinality(String) DEFAULT 'agent' AFTER sentence,
    ADD COLUMN IF NOT EXISTS cause_sentence String CODEC(ZSTD(3)) AFTER cause,
    ADD COLUMN IF NOT EXISTS wasted_tokens UInt64 AFTER wasted_us,
    ADD COLUMN IF NOT EXISTS storm_id String AFTER plan_id,
    ADD COLUMN IF NOT EXISTS tree_id String AFTER storm_id,
    ADD COLUMN IF NOT EXISTS tree_sessions UInt32 AFTER tree_id;
