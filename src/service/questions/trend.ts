// The figures of the tiles over time, for the fine line in each of them. One read of the rollup that the charts use, all
// tools together: a percentile of several tools cannot be made from their lines.

import { z } from 'zod';
import type { TrendAnswer } from '../../contract/overview.ts';
import type { CommonQuery } from '../../contract/query.ts';
import { bucketSecondsFor, bucketStarts } from './bucket.ts';
import { type Counted, countedBuckets } from './figures.ts';
import { alignRange, finestBucket } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { count, Percentiles, percentilesMs } from './row-values.ts';

const Row = z.object({
  bucket_start: count,
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
});
const SessionsRow = z.object({ bucket_start: count, session_count: count });

/** Calls, errors, sessions and p95 in the buckets of the charts. */
export async function answerTrend(query: Resolved<CommonQuery>, asking: Asking): Promise<TrendAnswer> {
  const range = alignRange(query.range, asking);
  const bucketSeconds = bucketSecondsFor(range, finestBucket(range, asking));
  const counted = countedBuckets(bucketSeconds, { range, filters: query }, asking);
  const params = { ...counted.where.params, bucket_seconds: bucketSeconds };
  const [rows, sessions] = await Promise.all([
    asking.store.query({ sql: trendSql(counted), params, row: Row }),
    asking.store.query({ sql: sessionsSql(counted), params, row: SessionsRow }),
  ]);
  const found = new Map(rows.map((row) => [row.bucket_start * 1_000, row]));
  const busy = new Map(sessions.map((row) => [row.bucket_start * 1_000, row.session_count]));
  return {
    range,
    bucketSeconds,
    points: bucketStarts(range, bucketSeconds).map((atMs) => {
      const row = found.get(atMs);
      return {
        atMs,
        calls: row?.n ?? 0,
        errors: row?.failed ?? 0,
        sessions: busy.get(atMs) ?? 0,
        p95Ms: row ? percentilesMs(row).p95Ms : null,
      };
    }),
  };
}

const bucketOf = (time: string): string =>
  `intDiv(toUnixTimestamp(${time}), {bucket_seconds:UInt32}) * {bucket_seconds:UInt32} AS bucket_start`;

const trendSql = ({ figures, where }: Counted) => `
    SELECT
      ${bucketOf(figures.time)},
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY bucket_start`;

/** Server by server, since two of them may have a session of one id. */
const sessionsSql = ({ figures, where }: Counted) => `
    SELECT bucket_start, sum(session_count) AS session_count
    FROM (
      SELECT ${bucketOf(figures.time)}, ${figures.sessions} AS session_count
      FROM ${figures.table}
      WHERE ${where.sql}
      GROUP BY bucket_start, server_name
    )
    GROUP BY bucket_start`;
