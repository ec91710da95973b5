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
import type { CallSource } from '../query/call-source.ts';
import { chooseBucketSource } from '../query/day-split.ts';
import { alignRange, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { Percentiles, toPercentilesMs } from '../query/row-values.ts';

const Row = z.object({
  bucket_start: count,
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
  session_count: count,
});

/** Calls, errors, sessions and p95 in the buckets of the charts. */
export async function getTrend(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<TrendResponse> {
  const range = alignRange(query.range, context);
  const bucketSeconds = chooseBucketSeconds(range, toFinestBucketSeconds(range, context));
  const source = await chooseBucketSource(bucketSeconds, { range, filters: query }, context);
  const params = { ...source.where.params, bucket_seconds: bucketSeconds };
  const rows = await context.store.query({ sql: trendSql(source), params, row: Row, callRange: range });
  const byBucket = new Map(rows.map((row) => [row.bucket_start * 1_000, row]));
  return {
    range,
    bucketSeconds,
    points: listBucketStarts(range, bucketSeconds).map((atMs) => {
      const row = byBucket.get(atMs);
      return {
        atMs,
        calls: row?.n ?? 0,
        errors: row?.failed ?? 0,
        sessions: row?.session_count ?? 0,
        p95Ms: row ? toPercentilesMs(row).p95Ms : null,
      };
    }),
  };
}

/** Sessions per server, because two servers may use the same session id. */
const trendSql = ({ aggregates, where }: CallSource) => `
    SELECT
      bucket_start,
      sum(n_of) AS n,
      sum(failed_of) AS failed,
      sum(timed_of) AS timed,
      quantilesBFloat16Merge(0.5, 0.95, 0.99)(percentiles_of) AS percentiles,
      sum(sessions_of) AS session_count
    FROM (
      SELECT
        intDiv(toUnixTimestamp(${aggregates.time}), {bucket_seconds:UInt32}) * {bucket_seconds:UInt32} AS bucket_start,
        ${aggregates.calls} AS n_of,
        ${aggregates.errors} AS failed_of,
        ${aggregates.timed} AS timed_of,
        ${aggregates.percentilesState} AS percentiles_of,
        ${aggregates.sessions} AS sessions_of
      FROM ${aggregates.table}
      WHERE ${where.sql}
      GROUP BY bucket_start, server_name
    )
    GROUP BY bucket_start`;
