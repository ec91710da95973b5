-- What an alert said when its state changed. Serves the history on the alerts page: the loop or the session that it speaks
-- of may be gone from the store long before the event is.
--
-- Rejected: a key of `labels` (labels are low in cardinality and are filtered by; a sentence is neither).

ALTER TABLE alert_events
    ADD COLUMN IF NOT EXISTS sentence String DEFAULT '' CODEC(ZSTD(1));
