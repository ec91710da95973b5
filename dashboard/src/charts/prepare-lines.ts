// From the service's points to lines on one grid of buckets: gaps are filled or kept, tools without a colour of their
// own become one line, and the bucket that is still running is known.
import type { SeriesResponse } from '../../../src/contract/responses.ts';
import type { ColourSlots } from './prepare-colour-slots.ts';
import type { PreparedLine, PreparedPoint } from './prepared-chart.ts';

export const OTHER_TOOLS = 'other tools';

type ApiSeries = SeriesResponse['series'][number];

export interface BucketGrid {
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
export function prepareBucketGrid({ range, bucketSeconds }: SeriesResponse, nowMs: number): BucketGrid {
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
  readonly slots: ColourSlots;
  /** What an earlier self of a line is called. */
  readonly previousLabel?: string | undefined;
  /** What a bucket without calls is: 0 calls, but no rate and no percentile. */
  readonly empty: 0 | null;
  /** How lines without a colour become one; without it they are left out, as percentiles cannot be added up. */
  readonly merge?: (points: readonly PreparedPoint[]) => number | null;
  /** Leave out what never leaves zero: a tool without errors says nothing in a chart of errors. */
  readonly omitZeroLines?: boolean;
  readonly convert?: (value: number) => number;
}

export interface PreparedLines {
  /** In slot order, the neutral line first so that it is drawn below the others. */
  readonly lines: readonly PreparedLine[];
  readonly omittedLines: number;
}

/** Puts every series on the grid and gives it its colour; of lines that are drawn, the earlier selves come last. */
export function prepareLines(
  response: SeriesResponse,
  grid: BucketGrid,
  options: LineOptions,
): PreparedLines {
  const { lines, omittedLines } = prepareCurrentLines(response.series, grid, options);
  if (!response.compared) return { lines, omittedLines };
  const { lines: before } = prepareCurrentLines(response.compared.series, grid, {
    ...options,
    omitZeroLines: false,
  });
  const previousLines = before
    .filter(({ key }) => lines.some((line) => line.key === key))
    .map((line) => ({
      ...line,
      key: `${line.key} earlier`,
      label: `${line.label}, ${options.previousLabel ?? 'before'}`,
      previousOf: line.key,
    }));
  return { lines: [...lines, ...previousLines], omittedLines };
}

function prepareCurrentLines(
  series: readonly ApiSeries[],
  grid: BucketGrid,
  options: LineOptions,
): PreparedLines {
  const { slots, merge, omitZeroLines = false } = options;
  const placed = series
    .map(({ key, points }) => ({
      key: slots.keyOf(key),
      label: slots.labelOf(key),
      slot: slots.slotOf(key),
      points: alignToGrid(points, grid, options),
    }))
    .filter(({ points }) => !omitZeroLines || points.some(({ value }) => value !== null && value > 0));
  const own = placed.filter(({ slot }) => slot > 0).sort((a, b) => a.slot - b.slot);
  const rest = placed.filter(({ slot }) => slot === 0);
  if (!merge || rest.length === 0) return { lines: own, omittedLines: rest.length };
  const merged = grid.starts.map((_, at) => mergeAt(rest, at, merge));
  return {
    lines: [{ key: OTHER_TOOLS, label: OTHER_TOOLS, slot: 0, points: merged }, ...own],
    omittedLines: 0,
  };
}

function alignToGrid(points: ApiSeries['points'], grid: BucketGrid, options: LineOptions): PreparedPoint[] {
  const { empty, convert = (value: number) => value } = options;
  const known = new Map(points.map(([atMs, value, n]) => [atMs, { value, n }]));
  return grid.starts.map((start) => {
    const { value, n } = known.get(start) ?? { value: null, n: 0 };
    return { atMs: middleOf(start, grid), value: value === null ? empty : convert(value), n };
  });
}

/** A bucket that is not over yet has its middle between its start and the present. */
function middleOf(start: number, { bucketMs, toMs }: BucketGrid): number {
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
export function findLargestValue(lines: readonly PreparedLine[]): number {
  return Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0)));
}
