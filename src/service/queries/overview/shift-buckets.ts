// Calls, errors and latency of each tool in buckets of equal width, the input of the shift scan.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import { toCallSource } from '../query/call-source.ts';
import type { CommonFilters } from '../query/filters.ts';
import { chooseGrainFor } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { BucketCount } from './scan-shifts.ts';

/** Only the most called tools are scanned; a scan takes some tens of microseconds per tool. */
const MAX_TOOLS = 500;

/** Number of the bucket, calls, errors, calls that have a latency, percentiles. */
export const BucketTuples = z.array(
  z.tuple([count, count, count, count, z.array(z.number().nullable()).length(3)]),
);

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  buckets: BucketTuples,
});

export interface Bucket {
  readonly calls: number;
  readonly errors: number;
  /** Calls that have a latency. */
  readonly timed: number;
  /** The 50th, 95th and 99th percentile in microseconds; null without latencies. */
  readonly percentiles: readonly (number | null)[];
}

export interface ToolBuckets {
  readonly server: string;
  readonly tool: string;
  /** One per step of the range, including empty ones. */
  readonly buckets: readonly Bucket[];
}

export interface BucketsQuery {
  /** Aligned, and a multiple of the step. */
  readonly range: TimeRange;
  readonly filters: CommonFilters;
  /** A multiple of the retained resolution of the range: a minute or an hour. */
  readonly stepMs: number;
  /** Tools with fewer calls are left out. */
  readonly minCalls: number;
}

const EMPTY_BUCKET: Bucket = { calls: 0, errors: 0, timed: 0, percentiles: [null, null, null] };

/** Tools with fewer calls in the whole range are not scanned. */
export const MIN_SHIFT_CALLS = 20;

export async function readToolBuckets(
  { range, filters, stepMs, minCalls }: BucketsQuery,
  context: QueryContext,
): Promise<ToolBuckets[]> {
  const grain = chooseGrainFor(stepMs / 1_000, { range, filters, retention: context });
  const { aggregates, where } = toCallSource(grain, { range, filters });
  const at = `intDiv(toUnixTimestamp(${aggregates.time}) - {first_seconds:Int64}, {step_seconds:Int64})`;
  const rows = await context.store.query({
    sql: `
    SELECT server, tool, groupArray((at, n, failed, timed, percentiles)) AS buckets
    FROM (
      SELECT
        toString(server_name) AS server,
        toString(tool_name) AS tool,
        ${at} AS at,
        ${aggregates.calls} AS n,
        ${aggregates.errors} AS failed,
        ${aggregates.timed} AS timed,
        ${aggregates.percentiles} AS percentiles
      FROM ${aggregates.table}
      WHERE ${where.sql}
      GROUP BY server, tool, at
    )
    GROUP BY server, tool
    HAVING sum(n) >= {least_calls:Int64}
    ORDER BY sum(n) DESC, server, tool
    LIMIT ${MAX_TOOLS}`,
    params: {
      ...where.params,
      first_seconds: range.fromMs / 1_000,
      step_seconds: stepMs / 1_000,
      least_calls: minCalls,
    },
    row: Row,
    callRange: range,
  });
  const length = Math.round((range.toMs - range.fromMs) / stepMs);
  return rows.map(({ server, tool, buckets }) => ({ server, tool, buckets: fillBuckets(buckets, length) }));
}

/** One bucket per step, including empty ones. */
export function fillBuckets(given: z.infer<typeof BucketTuples>, length: number): Bucket[] {
  const buckets = Array.from({ length }, () => EMPTY_BUCKET);
  for (const [at, calls, errors, timed, percentiles] of given)
    buckets[at] = { calls, errors, timed, percentiles };
  return buckets;
}

/** A metric to scan: which calls of a bucket count as hits. */
export interface ShiftMetric {
  readonly kind: 'error_shift' | 'latency_shift';
  readonly countHits: (buckets: readonly Bucket[]) => readonly BucketCount[];
}

/**
 * Errors; calls slower than the usual median; and calls much slower than nearly all usual ones. The median
 * metric shifts when everything becomes slower, the tail metric when only some calls do.
 *
 * @param usual all buckets, which define what is usual
 */
export function toShiftMetrics(usual: readonly Bucket[]): readonly ShiftMetric[] {
  const slower = (limit: number): ShiftMetric => ({
    kind: 'latency_shift',
    countHits: (buckets) =>
      buckets.map((bucket) => ({
        n: bucket.timed,
        hits: Math.round(bucket.timed * shareAbove(bucket, limit)),
      })),
  });
  return [
    {
      kind: 'error_shift',
      countHits: (buckets) => buckets.map(({ calls, errors }) => ({ n: calls, hits: errors })),
    },
    slower(weightedMedian(usual, 0) * 1.2),
    slower(weightedMedian(usual, 1) * 1.25),
  ];
}

/** The median of the bucket percentiles, weighted by calls. */
function weightedMedian(buckets: readonly Bucket[], at: 0 | 1): number {
  const known = buckets.flatMap(({ timed, percentiles }) => {
    const value = percentiles[at] ?? null;
    return value === null || timed === 0 ? [] : [{ value, timed }];
  });
  let left = known.reduce((sum, { timed }) => sum + timed, 0) / 2;
  for (const { value, timed } of known.sort((one, other) => one.value - other.value)) {
    left -= timed;
    if (left <= 0) return value;
  }
  return 0;
}

/**
 * Interpolates linearly between known percentiles; the estimate only locates the shift and is never shown.
 */
function shareAbove({ percentiles }: Bucket, limit: number): number {
  const [p50, p95, p99] = percentiles.map((value) => value ?? 0);
  const points = [
    [0, 0],
    [p50 ?? 0, 0.5],
    [p95 ?? 0, 0.95],
    [p99 ?? 0, 0.99],
  ] as const;
  const above = points.findIndex(([value]) => value > limit);
  if (above < 0) return 0;
  const [[low, lowShare], [high, highShare]] = [
    points[Math.max(0, above - 1)] ?? points[0],
    points[above] ?? points[3],
  ];
  return 1 - (lowShare + ((limit - low) / Math.max(1, high - low)) * (highShare - lowShare));
}
