// Bucket widths and starts of a chart. Buckets are aligned to multiples of their width since the epoch, so
// the same chart a minute later has the same buckets; the range may cut the first and the last.

import type { TimeRange } from '../../../contract/time-range.ts';

/**
 * Widths in seconds. Adjacent widths differ at most by a factor of 4, which keeps a chart between 30 and 120
 * points. There are no half days, so that charts of a month have whole days.
 */
const BUCKET_WIDTHS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 86_400, 172_800, 604_800,
] as const;

const MAX_POINTS = 120;
/** Gives 20 to 80 bars, most often 30 and more. */
export const MAX_BARS = 80;

/**
 * The width that gives a chart at most `maxPoints` points, and a quarter of them unless limited by the finest width.
 *
 * @param finestSeconds the finest resolution of the table
 * @param maxPoints 120 for lines; `MAX_BARS` for bars, which need room between them
 * @returns seconds
 */
export function chooseBucketSeconds(range: TimeRange, finestSeconds: number, maxPoints = MAX_POINTS): number {
  const fits = BUCKET_WIDTHS.find(
    (width) => width >= finestSeconds && countBuckets(range, width) <= maxPoints,
  );
  return fits ?? 604_800;
}

/**
 * Start of every bucket that overlaps the range.
 *
 * @returns epoch milliseconds, ascending
 */
export function listBucketStarts(range: TimeRange, bucketSeconds: number): number[] {
  const first = toFirstStart(range, bucketSeconds);
  return Array.from(
    { length: countBuckets(range, bucketSeconds) },
    (_, at) => first + at * bucketSeconds * 1_000,
  );
}

function toFirstStart({ fromMs }: TimeRange, bucketSeconds: number): number {
  return Math.floor(fromMs / (bucketSeconds * 1_000)) * bucketSeconds * 1_000;
}

function countBuckets(range: TimeRange, bucketSeconds: number): number {
  return Math.ceil((range.toMs - toFirstStart(range, bucketSeconds)) / (bucketSeconds * 1_000));
}

/** Start of the bucket of a time, in epoch seconds; parameters `bucket_seconds` and `shift_seconds`. */
export const bucketStartSql = (time: string): string =>
  `intDiv(toUnixTimestamp(${time}) + {shift_seconds:UInt32}, {bucket_seconds:UInt32}) * {bucket_seconds:UInt32}`;
