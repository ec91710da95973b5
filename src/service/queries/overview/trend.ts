// The sparklines of the tiles. One read of the rollup that the charts use, over all tools together: a
// percentile over several tools cannot be derived from their lines.
//
// Serves the tiles of the overview. All tools are read, so only the time limits the read: the rollups have
// parts per day.

import { z } from 'zod';
import type { TrendResponse } from '../../../contract/overview.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import { count } from '../../store/row-codec.ts';
import { chooseBucketSeconds, listBucketStarts } from '../query/bucket.ts';
import { type CallSource, chooseBucketSource } from '../query/call-source.ts';
import { alignRange, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { Percentiles, toPercentilesMs } from '../query/row-values.ts';

const Row = z.object({
  bucket_start: count,
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
});
const SessionsRow = z.object({ bucket_start: count, session_count: count });

/** Calls, errors, sessions and p95 in the buckets of the charts. */
export async function getTrend(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<TrendResponse> {
  const range = alignRange(query.range, context);
  const bucketSeconds = chooseBucketSeconds(range, toFinestBucketSeconds(range, context));
  const source = chooseBucketSource(bucketSeconds, { range, filters: query }, context);
  const params = { ...source.where.params, bucket_seconds: bucketSeconds };
  const [rows, sessions] = await Promise.all([
    context.store.query({ sql: trendSql(source), params, row: Row, callRange: range }),
    context.store.query({ sql: sessionsSql(source), params, row: SessionsRow, callRange: range }),
  ]);
  const byBucket = new Map(rows.map((row) => [row.bucket_start * 1_000, row]));
  const sessionsByBucket = new Map(sessions.map((row) => [row.bucket_start * 1_000, row.session_count]));
  return {
    range,
    bucketSeconds,
    points: listBucketStarts(range, bucketSeconds).map((atMs) => {
      const row = byBucket.get(atMs);
      return {
        atMs,
        calls: row?.n ?? 0,
        errors: row?.failed ?? 0,
        sessions: sessionsByBucket.get(atMs) ?? 0,
        p95Ms: row ? toPercentilesMs(row).p95Ms : null,
      };
    }),
  };
}

const bucketSql = (time: string): string =>
  `intDiv(toUnixTimestamp(${time}), {bucket_seconds:UInt32}) * {bucket_seconds:UInt32} AS bucket_start`;

const trendSql = ({ aggregates, where }: CallSource) => `
    SELECT
      ${bucketSql(aggregates.time)},
      ${aggregates.calls} AS n,
      ${aggregates.errors} AS failed,
      ${aggregates.timed} AS timed,
      ${aggregates.percentiles} AS percentiles
    FROM ${aggregates.table}
    WHERE ${where.sql}
    GROUP BY bucket_start`;

/** Per server, because two servers may use the same session id. */
const sessionsSql = ({ aggregates, where }: CallSource) => `
    SELECT bucket_start, sum(session_count) AS session_count
    FROM (
      SELECT ${bucketSql(aggregates.time)}, ${aggregates.sessions} AS session_count
      FROM ${aggregates.table}
      WHERE ${where.sql}
      GROUP BY bucket_start, server_name
    )
    GROUP BY bucket_start`;
