-- What an alert said when its state changed. Serves the history on the alerts page: the loop or the session that it speaks
-- of may be gone from the store long before the event is.
--
-- Key: as it is; nobody looks for a sentence.
-- Cardinality: one per event, and many of them the same but for a number.
-- Rejected: a key of `labels` (labels are filtered by; a sentence is only read).

ALTER TABLE alert_events
    ADD COLUMN IF NOT EXISTS sentence String DEFAULT '' CODEC(ZSTD(1));
