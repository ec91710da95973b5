// From the service's points to lines on one grid of buckets: gaps are filled or kept, tools without a colour of their
// own become one line, and the bucket that is still running is known.
import type { SeriesAnswer } from '../../../src/contract/answers.ts';
import type { Slots } from './prepare-slots.ts';
import type { PreparedLine, PreparedPoint } from './prepared-chart.ts';

export const OTHER_TOOLS = 'other tools';

type ApiSeries = SeriesAnswer['series'][number];

export interface Grid {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucketMs: number;
  /** Bucket starts, the first at or before `fromMs`. */
  readonly starts: readonly number[];
  readonly runningFromMs: number | undefined;
}

/**
 * The buckets that an answer's range covers, up to the present: a range is rounded up to whole minutes or hours, and
 * what has not happened yet is not a zero.
 *
 * @param nowMs when the answer came
 */
export function prepareGrid({ range, bucketSeconds }: SeriesAnswer, nowMs: number): Grid {
  const bucketMs = bucketSeconds * 1000;
  const toMs = Math.max(Math.min(range.toMs, nowMs), range.fromMs + 1);
  const first = Math.floor(range.fromMs / bucketMs) * bucketMs;
  const count = Math.max(1, Math.ceil((toMs - first) / bucketMs));
  const starts = Array.from({ length: count }, (_, at) => first + at * bucketMs);
  const last = first + (count - 1) * bucketMs;
  const runningFromMs = last + bucketMs > toMs ? last : undefined;
  return { fromMs: first, toMs, bucketMs, starts, runningFromMs };
}

export interface LineOptions {
  readonly slots: Slots;
  /** What an earlier self of a line is called. */
  readonly earlier?: string | undefined;
  /** What a bucket without calls is: 0 calls, but no rate and no percentile. */
  readonly empty: 0 | null;
  /** How lines without a colour become one; without it they are left out, as percentiles cannot be added up. */
  readonly merge?: (points: readonly PreparedPoint[]) => number | null;
  /** Leave out what never leaves zero: a tool without errors says nothing in a chart of errors. */
  readonly dropFlat?: boolean;
  readonly convert?: (value: number) => number;
}

export interface Lines {
  /** In slot order, the neutral line first so that it is drawn below the others. */
  readonly lines: readonly PreparedLine[];
  readonly leftOut: number;
}

/** Puts every series on the grid and gives it its colour; of lines that are drawn, the earlier selves come last. */
export function prepareLines(answer: SeriesAnswer, grid: Grid, options: LineOptions): Lines {
  const { lines, leftOut } = arrangeLines(answer.series, grid, options);
  if (!answer.compared) return { lines, leftOut };
  const { lines: before } = arrangeLines(answer.compared.series, grid, { ...options, dropFlat: false });
  const earlier = before
    .filter(({ key }) => lines.some((line) => line.key === key))
    .map((line) => ({
      ...line,
      key: `${line.key} earlier`,
      label: `${line.label}, ${options.earlier ?? 'before'}`,
      earlierOf: line.key,
    }));
  return { lines: [...lines, ...earlier], leftOut };
}

function arrangeLines(series: readonly ApiSeries[], grid: Grid, options: LineOptions): Lines {
  const { slots, merge, dropFlat = false } = options;
  const placed = series
    .map(({ key, points }) => ({
      key: slots.keyOf(key),
      label: slots.labelOf(key),
      slot: slots.slotOf(key),
      points: placeOnGrid(points, grid, options),
    }))
    .filter(({ points }) => !dropFlat || points.some(({ value }) => value !== null && value > 0));
  const own = placed.filter(({ slot }) => slot > 0).sort((a, b) => a.slot - b.slot);
  const rest = placed.filter(({ slot }) => slot === 0);
  if (!merge || rest.length === 0) return { lines: own, leftOut: rest.length };
  const merged = grid.starts.map((_, at) => mergeAt(rest, at, merge));
  return { lines: [{ key: OTHER_TOOLS, label: OTHER_TOOLS, slot: 0, points: merged }, ...own], leftOut: 0 };
}

function placeOnGrid(points: ApiSeries['points'], grid: Grid, options: LineOptions): PreparedPoint[] {
  const { empty, convert = (value: number) => value } = options;
  const known = new Map(points.map(([atMs, value, n]) => [atMs, { value, n }]));
  return grid.starts.map((start) => {
    const { value, n } = known.get(start) ?? { value: null, n: 0 };
    return { atMs: middleOf(start, grid), value: value === null ? empty : convert(value), n };
  });
}

/** A bucket that is not over yet has its middle between its start and the present. */
function middleOf(start: number, { bucketMs, toMs }: Grid): number {
  return (start + Math.min(start + bucketMs, toMs)) / 2;
}

function mergeAt(
  lines: readonly PreparedLine[],
  at: number,
  merge: NonNullable<LineOptions['merge']>,
): PreparedPoint {
  const points = lines.flatMap(({ points }) => points[at] ?? []);
  const n = points.reduce((sum, point) => sum + point.n, 0);
  return { atMs: points[0]?.atMs ?? 0, value: merge(points), n };
}

/** The largest value of all lines. */
export function largestOf(lines: readonly PreparedLine[]): number {
  return Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0)));
}
