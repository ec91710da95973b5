-- Notes in time that were taken back. Serves the fine verticals in every chart, which must lose one that was a mistake.
--
-- Key: as it is; the newest revision of a note says whether it still stands.
-- Cardinality: hardly any.
-- Rejected: deleting the row (a mutation, of which the engine may lag behind; the next revision is there at once).

ALTER TABLE annotations
    ADD COLUMN IF NOT EXISTS withdrawn UInt8 DEFAULT 0,
    MODIFY SETTING non_replicated_deduplication_window = 1000;
