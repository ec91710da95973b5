// The fine line in a tile: one figure over the range as the path of a small picture. It has no axis; it begins at zero, so
// that a line that looks twice as high is.

import type { TrendAnswer } from '../../../../src/contract/overview.ts';

type TrendPoint = TrendAnswer['points'][number];

/** Null where there is no figure: the line has a gap there. */
export type SparkFigure = (point: TrendPoint) => number | null;

export interface Spark {
  /** SVG paths on a field of 100 by 24; empty where nothing is to be drawn. */
  readonly line: string;
  /** The last stretch, where it leads into a bucket that still runs. */
  readonly running: string;
  /** Where that bucket begins, from 0 to 100. */
  readonly runningFrom: number | undefined;
}

const WIDTH = 100;
const HEIGHT = 24;
/** Half a line at the edges would be cut off. */
const EDGE = 1;

/**
 * @param nowMs when the answer came: what lies after it has not happened, and the bucket it lies in still runs
 */
export function prepareSpark(answer: TrendAnswer, figure: SparkFigure, nowMs: number): Spark {
  const { range, bucketSeconds } = answer;
  const bucketMs = bucketSeconds * 1_000;
  const toMs = Math.min(range.toMs, nowMs);
  const points = answer.points.filter(({ atMs }) => atMs < toMs);
  const values = points.map(figure);
  const largest = Math.max(0, ...values.map((value) => value ?? 0));
  const known = values.filter((value) => value !== null).length;
  if (known < 2 || largest === 0) return { line: '', running: '', runningFrom: undefined };
  const firstMs = points[0]?.atMs ?? 0;
  const last = points.at(-1);
  const isRunning = last !== undefined && last.atMs + bucketMs > toMs;
  const x = (atMs: number): number => ((atMs - firstMs) / Math.max(1, toMs - firstMs)) * WIDTH;
  const places = points.map(({ atMs }, at): Place => {
    const value = values[at] ?? null;
    const middle = (atMs + Math.min(atMs + bucketMs, toMs)) / 2;
    return value === null ? undefined : [x(middle), HEIGHT - EDGE - (value / largest) * (HEIGHT - 2 * EDGE)];
  });
  const whole = isRunning ? places.slice(0, -1) : places;
  return {
    line: toPath(whole),
    running: isRunning ? toPath(places.slice(-2)) : '',
    runningFrom: isRunning && last ? x(last.atMs) : undefined,
  };
}

type Place = readonly [number, number] | undefined;

/** A new stretch after every gap; a place alone is a stretch of no length, which a round cap makes a dot. */
function toPath(places: readonly Place[]): string {
  return places
    .map((place, at) => {
      if (!place) return '';
      const [x, y] = place.map((value) => Number(value.toFixed(2)));
      const begins = !places[at - 1];
      return `${begins ? 'M' : 'L'}${x} ${y}${begins && !places[at + 1] ? 'h0' : ''}`;
    })
    .join('');
}

/** Calls of a bucket that still runs say less than those of a whole one, so they are told as what they would be by its end. */
export function toRunningRate(
  answer: TrendAnswer,
  pick: (point: TrendPoint) => number,
  nowMs: number,
): SparkFigure {
  const bucketMs = answer.bucketSeconds * 1_000;
  const { fromMs, toMs } = answer.range;
  return (point) => {
    const start = Math.max(point.atMs, fromMs);
    const end = Math.min(point.atMs + bucketMs, toMs, nowMs);
    return pick(point) / Math.max(end - start, bucketMs / 10);
  };
}

export const errorRateOf: SparkFigure = ({ calls, errors }) => (calls === 0 ? null : errors / calls);
