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
  const rows = await asking.store.query({
    sql: seriesSql(query, counted),
    params: { ...counted.where.params, bucket_seconds: bucketSeconds, shift_seconds: 0 },
    row: Row,
  });
  const { metric, by, compare } = query;
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

/** Lines that are given rather than ranked. */
const IN_LINES =
  'SELECT pair.1, pair.2 FROM (SELECT arrayJoin(arrayZip({line_servers:Array(String)}, {line_names:Array(String)})) AS pair)';

/** @param among which lines are kept; those with the most behind them unless told */
function seriesSql(
  { by, metric }: Pick<SeriesQuery, 'by' | 'metric'>,
  { figures, where }: Counted,
  among?: string,
): string {
  const { server, name } = LINES[by];
  // A chart of errors is about the lines that have them, however seldom they are called.
  const order = ranksByErrors({ by, metric }) ? [figures.errors, figures.calls] : [figures.calls];
  // Only errors have a code: what did not fail is in no line, but counts below the rate.
  const inLine = by === 'code' ? `fault != 'none'` : '1';
  const ranked = `
        SELECT ${server}, ${name} FROM ${figures.table} WHERE ${where.sql} AND ${inLine}
        GROUP BY 1, 2 ORDER BY ${order.map((figure) => `${figure} DESC`).join(', ')}, 1, 2 LIMIT ${MOST_LINES}`;
  // The states of durations are most of the bytes of a rollup: only a chart of percentiles reads them, and only of its lines.
  const timed = metric === 'p50' || metric === 'p95';
  return `
    SELECT
      intDiv(toUnixTimestamp(${figures.time}) + {shift_seconds:UInt32}, {bucket_seconds:UInt32}) * {bucket_seconds:UInt32} AS bucket_start,
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
