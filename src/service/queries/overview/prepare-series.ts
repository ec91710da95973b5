// Turns grouped rows into chart lines: names, order, and a point for every bucket. A bucket without calls has
// 0 calls, but null rates and percentiles with n 0.

import type { SeriesQuery, SeriesResponse } from '../../../contract/series.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { listBucketStarts } from '../query/bucket.ts';
import { toOtherName, toPercentilesMs } from '../query/row-values.ts';

/** More lines cannot be distinguished; the remainder is one more line, in the chart of calls only. */
export const MAX_LINES = 8;

/** One line in one bucket. */
export interface LineRow {
  /** Start of the bucket in epoch seconds. */
  readonly bucket_start: number;
  /** 1 for a separate line, 0 for the remaining lines. */
  readonly kept: number;
  readonly server: string;
  readonly name: string;
  readonly n: number;
  /** Errors; for the rates wrong calls, errors without a recovery, and results that fed no later call. */
  readonly failed: number;
  readonly timed: number;
  readonly percentiles: readonly (number | null)[];
}

export interface Chart {
  readonly metric: SeriesQuery['metric'];
  readonly by: SeriesQuery['by'];
  readonly range: TimeRange;
  readonly bucketSeconds: number;
}

type Line = SeriesResponse['series'][number];
type Point = Line['points'][number];

/** Whether lines are ranked by errors rather than by calls. */
export const ranksByErrors = ({ by, metric }: Pick<Chart, 'by' | 'metric'>): boolean =>
  by === 'code' || (metric !== 'calls' && metric !== 'p50' && metric !== 'p95');

/** The lines in rank order; the remainder comes last, and only for the metric `calls`. */
export function prepareSeries(rows: readonly LineRow[], chart: Chart): Line[] {
  return toSeries(sortLines(rows, chart), rows, chart);
}

interface ComparedLines {
  readonly chart: Chart;
  /** Rows of the chart itself. */
  readonly lines: readonly LineRow[];
}

/**
 * The chart's lines over an earlier time: the same names in the same order, including those without calls
 * then.
 *
 * @param rows shifted into the buckets of the chart
 */
export function prepareComparedSeries(rows: readonly LineRow[], { chart, lines }: ComparedLines): Line[] {
  const earlier = new Map(groupByLine(rows.filter(isKept)).map((line) => [toLineKey(line[0]), line]));
  const sorted = sortLines(lines, chart);
  const named = sorted.map(({ key, line }) => ({ key, line: earlier.get(toLineKey(line[0])) ?? [] }));
  return toSeries(named, rows, chart);
}

/** The columns that identify the chart's lines, in no particular order. */
export function listKeptLines(rows: readonly LineRow[]): { server: string; name: string }[] {
  return groupByLine(rows.filter(isKept)).flatMap(([first]) =>
    first ? [{ server: first.server, name: first.name }] : [],
  );
}

interface NamedLine {
  readonly key: string;
  readonly line: readonly LineRow[];
}

/** In rank order. */
function sortLines(rows: readonly LineRow[], chart: Chart): NamedLine[] {
  const lines = groupByLine(rows.filter(isKept)).sort(
    (a, b) => toRankValue(b, chart) - toRankValue(a, chart) || compareText(toLineKey(a[0]), toLineKey(b[0])),
  );
  const names = nameLines(lines, chart.by);
  return lines.map((line, at) => ({ key: names[at] ?? '', line }));
}

function toSeries(lines: readonly NamedLine[], rows: readonly LineRow[], chart: Chart): Line[] {
  const rest = rows.filter((row) => row.kept === 0 && toCount(row, chart.by) > 0);
  const calls = sumCallsByBucket(rows);
  const series = lines.map(({ key, line }) => ({ key, points: toPoints(line, { chart, calls }) }));
  if (chart.metric !== 'calls' || rest.length === 0) return series;
  const names = new Set(lines.map(({ key }) => key));
  return [...series, { key: toOtherName(names), points: toPoints(rest, { chart, calls }) }];
}

const groupByLine = (rows: readonly LineRow[]): LineRow[][] => [...groupBy(rows, toLineKey).values()];

/** The tool name alone is unambiguous if the response covers one server. */
function nameLines(lines: readonly (readonly LineRow[])[], by: Chart['by']): string[] {
  const firsts = lines.flatMap(([first]) => first ?? []);
  const servers = new Set(firsts.map(({ server }) => server));
  if (by === 'server') return firsts.map(({ server }) => server);
  if (by === 'code' || servers.size < 2) return firsts.map(({ name }) => name);
  return firsts.map(({ server, name }) => `${server}/${name}`);
}

function toPoints(
  line: readonly LineRow[],
  { chart, calls }: { readonly chart: Chart; readonly calls: ReadonlyMap<number, number> },
): Point[] {
  const rows = new Map(line.map((row) => [row.bucket_start * 1_000, row]));
  return listBucketStarts(chart.range, chart.bucketSeconds).map((start): Point => {
    const [value, n] = toMeasurement(rows.get(start), { chart, calls: calls.get(start) ?? 0 });
    return [start, value, n];
  });
}

function toMeasurement(
  row: LineRow | undefined,
  { chart: { metric, by }, calls }: { readonly chart: Chart; readonly calls: number },
): [value: number | null, n: number] {
  if (metric === 'calls') return row ? [toCount(row, by), toCount(row, by)] : [0, 0];
  // The rate of a code is relative to all calls: in a bucket without that code it is 0, not unknown.
  if (metric === 'errorRate' || metric === 'correctCallRate')
    return toRate(row?.failed ?? 0, by === 'code' ? calls : (row?.n ?? 0), metric === 'errorRate');
  if (!row) return [null, 0];
  if (metric === 'recoveryRate' || metric === 'resultUseRate') return toRate(row.failed, row.n, false);
  return [toPercentilesMs(row)[metric === 'p50' ? 'p50Ms' : 'p95Ms'], row.timed];
}

/** @param ofFailed the share of `failed`, or of the others */
function toRate(failed: number, n: number, ofFailed: boolean): [value: number | null, n: number] {
  if (n === 0) return [null, 0];
  return [ofFailed ? failed / n : 1 - failed / n, n];
}

const isKept = ({ kept }: LineRow): boolean => kept === 1;
const toCount = (row: LineRow, by: Chart['by']) => (by === 'code' ? row.failed : row.n);
const toRankValue = (line: readonly LineRow[], chart: Pick<Chart, 'by' | 'metric'>) =>
  line.reduce((sum, row) => sum + (ranksByErrors(chart) ? row.failed : row.n), 0);
const toLineKey = (row: LineRow | undefined) => JSON.stringify([row?.server, row?.name]);
const compareText = (a: string, b: string) => (a < b ? -1 : 1);

function sumCallsByBucket(rows: readonly LineRow[]): Map<number, number> {
  const calls = new Map<number, number>();
  for (const { bucket_start, n } of rows)
    calls.set(bucket_start * 1_000, (calls.get(bucket_start * 1_000) ?? 0) + n);
  return calls;
}
