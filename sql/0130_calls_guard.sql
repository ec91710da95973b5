-- What a guard did about a call. Serves the guard panel, the filter `guard` of the list of calls, and the guard
-- badge of the list and of the page of a session.
--
-- Key: that of `calls`; most calls have no verdict, so a set per granule skips what has none.
-- Columns: computed from the attributes in which producers send the verdict. Rows that were stored before this file
--   are computed when they are read, until a merge writes the columns; so existing directories have them too.
-- Trap: `SELECT *` and an insert leave computed columns out, and so must the views.
-- Cardinality: three verdicts and two codes, in LowCardinality columns that are nearly always empty.
-- Rejected: ordinary columns (each row would carry the same fact twice, and rows stored before would have none). A
--   rollup (a verdict is compared with the results around it, which needs the calls).

ALTER TABLE calls
    ADD COLUMN IF NOT EXISTS guard_verdict LowCardinality(String) MATERIALIZED multiIf(
        attributes['toolscope.guard.blocked'] != '', 'blocked',
        attributes['toolscope.guard.would_block'] != '', 'would_block',
        attributes['toolscope.guard.nudged'] != '', 'nudged',
        ''
    ) CODEC(ZSTD(1)) AFTER attributes;

ALTER TABLE calls
    ADD COLUMN IF NOT EXISTS guard_code LowCardinality(String) MATERIALIZED multiIf(
        attributes['toolscope.guard.blocked'] != '', attributes['toolscope.guard.blocked'],
        attributes['toolscope.guard.would_block'] != '', attributes['toolscope.guard.would_block'],
        attributes['toolscope.guard.nudged']
    ) CODEC(ZSTD(1)) AFTER guard_verdict;

ALTER TABLE calls ADD INDEX IF NOT EXISTS by_guard guard_verdict TYPE set(4) GRANULARITY 1;
