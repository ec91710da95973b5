// Prepares the sparkline of a tile as SVG paths. It has no axis and starts at zero, so that a line twice as
// high means a value twice as large.

import type { TrendResponse } from '../../../../src/contract/overview.ts';

type TrendPoint = TrendResponse['points'][number];

/** Null without a value: the line has a gap there. */
export type SparklineValue = (point: TrendPoint) => number | null;

export interface SparklinePaths {
  /** SVG paths on an area of 100 by 24; empty when there is nothing to draw. */
  readonly line: string;
  /** The last segment, if it leads into a running bucket. */
  readonly running: string;
  /** The start of that bucket, from 0 to 100. */
  readonly runningFrom: number | undefined;
}

const WIDTH = 100;
const HEIGHT = 24;
/** Without it, half of a line at the edges is clipped. */
const EDGE = 1;

/**
 * @param nowMs when the response arrived; later buckets are omitted, and the one that contains it is still
 * running
 */
export function prepareSparkline(
  response: TrendResponse,
  toValue: SparklineValue,
  nowMs: number,
): SparklinePaths {
  const { range, bucketSeconds } = response;
  const bucketMs = bucketSeconds * 1_000;
  const toMs = Math.min(range.toMs, nowMs);
  const points = response.points.filter(({ atMs }) => atMs < toMs);
  const values = points.map(toValue);
  const largest = Math.max(0, ...values.map((value) => value ?? 0));
  const known = values.filter((value) => value !== null).length;
  if (known < 2 || largest === 0) return { line: '', running: '', runningFrom: undefined };
  const firstMs = points[0]?.atMs ?? 0;
  const last = points.at(-1);
  const isRunning = last !== undefined && last.atMs + bucketMs > toMs;
  const x = (atMs: number): number => ((atMs - firstMs) / Math.max(1, toMs - firstMs)) * WIDTH;
  const positions = points.map(({ atMs }, at): Position => {
    const value = values[at] ?? null;
    const middle = (atMs + Math.min(atMs + bucketMs, toMs)) / 2;
    return value === null ? undefined : [x(middle), HEIGHT - EDGE - (value / largest) * (HEIGHT - 2 * EDGE)];
  });
  const whole = isRunning ? positions.slice(0, -1) : positions;
  return {
    line: toSvgPath(whole),
    running: isRunning ? toSvgPath(positions.slice(-2)) : '',
    runningFrom: isRunning && last ? x(last.atMs) : undefined,
  };
}

type Position = readonly [number, number] | undefined;

/** Starts a segment after every gap. A single point has zero length; a round cap renders it as a dot. */
function toSvgPath(positions: readonly Position[]): string {
  return positions
    .map((position, at) => {
      if (!position) return '';
      const [x, y] = position.map((value) => Number(value.toFixed(2)));
      const begins = !positions[at - 1];
      return `${begins ? 'M' : 'L'}${x} ${y}${begins && !positions[at + 1] ? 'h0' : ''}`;
    })
    .join('');
}

/** Divides a count by its bucket's elapsed time, so that a running bucket compares with complete ones. */
export function toElapsedTimeRate(
  response: TrendResponse,
  pick: (point: TrendPoint) => number,
  nowMs: number,
): SparklineValue {
  const bucketMs = response.bucketSeconds * 1_000;
  const { fromMs, toMs } = response.range;
  return (point) => {
    const start = Math.max(point.atMs, fromMs);
    const end = Math.min(point.atMs + bucketMs, toMs, nowMs);
    return pick(point) / Math.max(end - start, bucketMs / 10);
  };
}

export const toErrorRate: SparklineValue = ({ calls, errors }) => (calls === 0 ? null : errors / calls);
