// The charts: one line per tool, server or error code over the range. A bucket is as wide as makes 30 to 120 points, so
// the table is the coarsest whose rows fit into one: hours for weeks, minutes for a day, single calls for an hour.

import { z } from 'zod';
import type { SeriesAnswer } from '../../contract/answers.ts';
import type { Compare, SeriesQuery } from '../../contract/query.ts';
import { bucketSecondsFor } from './bucket.ts';
import { comparedRange } from './compared-range.ts';
import { type Counted, countedBuckets, countedCalls } from './figures.ts';
import { alignRange, canAnswer, chooseGrainFor, finestBucket } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import {
  type Chart,
  keptLines,
  type LineRow,
  prepareCompared,
  prepareSeries,
  ranksByErrors,
} from './prepare-series.ts';
import { count, Percentiles } from './row-values.ts';

/** Lines beyond this cannot be told apart; what is left over is one more line, in the chart of calls only. */
const MOST_LINES = 8;

/** What tells one line from another, in SQL. */
interface Lines {
  readonly server: string;
  readonly name: string;
}

const LINES: Readonly<Record<SeriesQuery['by'], Lines>> = {
  tool: { server: 'server_name', name: 'tool_name' },
  server: { server: 'server_name', name: `''` },
  code: { server: `''`, name: 'error_code' },
};

const Row = z.object({
  bucket_start: count,
  kept: count,
  server: z.string(),
  name: z.string(),
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
});

/**
 * One metric over time, split by tool, server or code.
 */
export async function answerSeries(query: Resolved<SeriesQuery>, asking: Asking): Promise<SeriesAnswer> {
  const range = alignRange(query.range, asking);
  const bucketSeconds = bucketSecondsFor(range, finestBucket(range, asking));
  const counted = countedBuckets(
    bucketSeconds,
    { range, filters: query, byCode: query.by === 'code' },
    asking,
  );
  const { metric, by, compare } = query;
  const sql = isTimed(metric) ? seriesSql(query, counted) : countsSql(by, counted);
  const params = { ...counted.where.params, bucket_seconds: bucketSeconds, shift_seconds: 0 };
  const stored = await asking.store.query({ sql, params, row: Row });
  const rows = isTimed(metric) ? stored : foldRest(stored, query);
  const chart = { metric, by, range, bucketSeconds };
  const compared =
    compare === undefined ? undefined : await readCompared({ query, compare, chart, rows }, asking);
  return {
    range,
    metric,
    bucketSeconds,
    series: prepareSeries(rows, chart),
    ...(compared !== undefined && { compared }),
  };
}

interface Comparing {
  readonly query: Resolved<SeriesQuery>;
  readonly compare: Compare;
  readonly chart: Chart;
  /** Of the chart itself: its lines are the ones to be compared. */
  readonly rows: readonly LineRow[];
}

/** The earlier calls of the same lines, in the buckets of the chart; undefined where there are none. */
async function readCompared(
  { query, compare, chart, rows }: Comparing,
  asking: Asking,
): Promise<SeriesAnswer['compared']> {
  const earlier = comparedRange(chart.range, compare, asking);
  if (earlier === undefined || !canAnswer(earlier.range, query, asking)) return undefined;
  const { range, shiftMs } = earlier;
  const grain = chooseGrainFor(chart.bucketSeconds, { range, filters: query, reach: asking });
  const counted = countedCalls(grain, { range, filters: query });
  const lines = keptLines(rows);
  if (lines.length === 0) return undefined;
  const found = await asking.store.query({
    sql: seriesSql(query, counted, IN_LINES),
    params: {
      ...counted.where.params,
      bucket_seconds: chart.bucketSeconds,
      shift_seconds: shiftMs / 1_000,
      line_servers: lines.map(({ server }) => server),
      line_names: lines.map(({ name }) => name),
    },
    row: Row,
  });
  return { range, shiftMs, series: prepareCompared(found, { chart, lines: rows }) };
}

/** Bits of `kept`: among the first lines by calls, or by errors. */
const BY_CALLS = 1;
const BY_ERRORS = 2;

/** What is no line of this chart is one row a bucket. */
function foldRest(stored: readonly LineRow[], query: Pick<SeriesQuery, 'by' | 'metric'>): LineRow[] {
  const bit = ranksByErrors(query) ? BY_ERRORS : BY_CALLS;
  const lines: LineRow[] = [];
  const rest = new Map<number, LineRow>();
  for (const row of stored) {
    if ((row.kept & bit) !== 0) {
      lines.push({ ...row, kept: 1 });
      continue;
    }
    const { n = 0, failed = 0 } = rest.get(row.bucket_start) ?? {};
    const folded = { ...row, kept: 0, server: '', name: '', n: n + row.n, failed: failed + row.failed };
    rest.set(row.bucket_start, folded);
  }
  return [...lines, ...rest.values()];
}

const isTimed = (metric: SeriesQuery['metric']): boolean => metric === 'p50' || metric === 'p95';

/** Lines that are given rather than ranked. */
const IN_LINES =
  'SELECT pair.1, pair.2 FROM (SELECT arrayJoin(arrayZip({line_servers:Array(String)}, {line_names:Array(String)})) AS pair)';

/**
 * Calls and errors of every line that ranks among the first by either: the charts of both are one statement, which is asked once for a
 * page that shows both.
 */
function countsSql(by: SeriesQuery['by'], { figures, where }: Counted): string {
  const { server, name } = LINES[by];
  const inLine = isInLine(by);
  const rank = (order: string): string =>
    `dense_rank() OVER (ORDER BY in_line DESC, ${order} line_calls DESC, server_of, name_of)`;
  return `
    SELECT
      bucket_start,
      in_line * ((by_calls <= ${MOST_LINES}) * ${BY_CALLS} + (by_errors <= ${MOST_LINES}) * ${BY_ERRORS}) AS kept,
      if(kept > 0, server_of, '') AS server,
      if(kept > 0, name_of, '') AS name,
      sum(n_of) AS n,
      sum(failed_of) AS failed,
      0 AS timed,
      [NULL, NULL, NULL] AS percentiles
    FROM (
      SELECT *, ${rank('')} AS by_calls, ${rank('line_errors DESC,')} AS by_errors
      FROM (
        SELECT
          *,
          sum(n_of) OVER (PARTITION BY in_line, server_of, name_of) AS line_calls,
          sum(failed_of) OVER (PARTITION BY in_line, server_of, name_of) AS line_errors
        FROM (
          SELECT
            ${bucketOf(figures.time)} AS bucket_start,
            toUInt8(${inLine}) AS in_line,
            toString(${server}) AS server_of,
            toString(${name}) AS name_of,
            ${figures.calls} AS n_of,
            ${figures.errors} AS failed_of
          FROM ${figures.table}
          WHERE ${where.sql}
          GROUP BY bucket_start, in_line, server_of, name_of
        )
      )
    )
    GROUP BY bucket_start, kept, server, name`;
}

const bucketOf = (time: string): string =>
  `intDiv(toUnixTimestamp(${time}) + {shift_seconds:UInt32}, {bucket_seconds:UInt32}) * {bucket_seconds:UInt32}`;

/** Only errors have a code: what did not fail is in no line, but counts below the rate. */
const isInLine = (by: SeriesQuery['by']): string => (by === 'code' ? `fault != 'none'` : '1');

/** @param among which lines are kept; those with the most behind them unless told */
function seriesSql(
  { by, metric }: Pick<SeriesQuery, 'by' | 'metric'>,
  { figures, where }: Counted,
  among?: string,
): string {
  const { server, name } = LINES[by];
  // A chart of errors is about the lines that have them, however seldom they are called.
  const order = ranksByErrors({ by, metric }) ? [figures.errors, figures.calls] : [figures.calls];
  const inLine = isInLine(by);
  const ranked = `
        SELECT ${server}, ${name} FROM ${figures.table} WHERE ${where.sql} AND ${inLine}
        GROUP BY 1, 2 ORDER BY ${order.map((figure) => `${figure} DESC`).join(', ')}, 1, 2 LIMIT ${MOST_LINES}`;
  // The states of durations are most of the bytes of a rollup: only a chart of percentiles reads them, and only of its lines.
  const timed = isTimed(metric);
  return `
    SELECT
      ${bucketOf(figures.time)} AS bucket_start,
      ${inLine} AND (${server}, ${name}) IN (${among ?? ranked}) AS kept,
      if(kept, ${server}, '') AS server,
      if(kept, ${name}, '') AS name,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${timed ? figures.timed : '0'} AS timed,
      ${timed ? figures.percentiles : '[NULL, NULL, NULL]'} AS percentiles
    FROM ${figures.table}
    WHERE ${where.sql}${timed ? ' AND kept' : ''}
    GROUP BY bucket_start, kept, server, name`;
}
