// Converts the series of a response to lines on one grid of buckets: fills or keeps gaps, merges tools
// without a colour into one line, and finds the running bucket.
import type { SeriesResponse } from '../../../src/contract/series.ts';
import type { ColourSlots } from './prepare-colour-slots.ts';
import { prepareScale } from './prepare-scale.ts';
import type { ChartInput, PreparedChart, PreparedLine, PreparedPoint } from './prepared-chart.ts';

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
 * The buckets of a response's range up to the present. A range is rounded up to whole minutes or hours, and
 * buckets in the future are not zeros.
 *
 * @param nowMs when the response arrived
 */
export function prepareBucketGrid(
  { range, bucketSeconds }: Pick<SeriesResponse, 'range' | 'bucketSeconds'>,
  nowMs: number,
): BucketGrid {
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
  /** The suffix of previous-period lines. */
  readonly previousLabel?: string | undefined;
  /** The value of a bucket without calls: 0 for counts, null for rates and percentiles. */
  readonly empty: 0 | null;
  /** Merges lines without a colour into one. Omitted for percentiles, which cannot be merged. */
  readonly merge?: (points: readonly PreparedPoint[]) => number | null;
  /** Omits lines that are always zero, as for tools without errors in a chart of errors. */
  readonly omitZeroLines?: boolean;
}

export interface PreparedLines {
  /** In slot order, the neutral line first so that it is drawn below the others. */
  readonly lines: readonly PreparedLine[];
  readonly omittedLines: number;
}

/** Puts every series on the grid and assigns its colour; the previous-period lines come last. */
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
      label: `${line.label}, ${options.previousLabel ?? 'previous period'}`,
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
  const known = new Map(points.map(([atMs, value, n]) => [atMs, { value, n }]));
  return grid.starts.map((start) => {
    const { value, n } = known.get(start) ?? { value: null, n: 0 };
    return { atMs: middleOf(start, grid), value: value ?? options.empty, n };
  });
}

/** The middle of a running bucket lies between its start and the present. */
export function middleOf(start: number, { bucketMs, toMs }: BucketGrid): number {
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

export function findLargestValue(lines: readonly PreparedLine[]): number {
  return Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value ?? 0)));
}

interface ChartOptions
  extends Omit<LineOptions, 'slots' | 'previousLabel'>,
    Pick<PreparedChart, 'flagsFewCalls' | 'format' | 'raw'> {
  /** Upper bound of the value axis, such as 1 for rates. */
  readonly maxScale?: number;
}

/** A chart whose values are those of the response. */
export function prepareChart(
  response: SeriesResponse,
  { slots, nowMs, previousLabel }: ChartInput,
  { flagsFewCalls, format, raw, maxScale, ...lineOptions }: ChartOptions,
): PreparedChart {
  const grid = prepareBucketGrid(response, nowMs);
  const lines = prepareLines(response, grid, { slots, previousLabel, ...lineOptions });
  return {
    ...grid,
    ...prepareScale(findLargestValue(lines.lines), maxScale),
    ...lines,
    hasLineLabels: slots.canLabelLines,
    flagsFewCalls,
    format,
    raw,
  };
}
