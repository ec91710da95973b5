// The charts: one line per tool, server or error code over the range. Bucket widths give 30 to 120 points,
// and the coarsest table with rows that fit a bucket is read: hours for weeks, minutes for a day, single
// calls for an hour.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { Comparison } from '../../../contract/query.ts';
import type { SeriesQuery, SeriesResponse } from '../../../contract/series.ts';
import { count } from '../../store/row-codec.ts';
import { bucketStartSql, chooseBucketSeconds } from '../query/bucket.ts';
import { type CallSource, countCallsIf, toCallSource } from '../query/call-source.ts';
import { toComparisonRange } from '../query/comparison-range.ts';
import { chooseBucketSource } from '../query/day-split.ts';
import { alignRange, chooseGrainFor, isKept, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { Percentiles } from '../query/row-values.ts';
import { whereWrongCall } from '../query/wrong-call.ts';
import {
  type Chart,
  type LineRow,
  listKeptLines,
  MAX_LINES,
  prepareComparedSeries,
  prepareSeries,
  ranksByErrors,
} from './prepare-series.ts';
import { getWindowSeries, isWindowQuery } from './window-series.ts';

/** The SQL columns that identify a line. */
interface LineColumns {
  readonly server: string;
  readonly name: string;
}

const LINE_COLUMNS: Readonly<Record<SeriesQuery['by'], LineColumns>> = {
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

/** One metric over time, split by tool, server or code. */
export async function getSeries(
  query: ResolvedQuery<SeriesQuery>,
  context: QueryContext,
): Promise<SeriesResponse> {
  if (isWindowQuery(query)) return getWindowSeries(query, context);
  const range = alignRange(query.range, context);
  const bucketSeconds = chooseBucketSeconds(range, toFinestBucketSeconds(range, context));
  const { metric, by, compare } = query;
  // Outcomes and codes are not in the counts of whole days.
  const byCode = by === 'code' || metric === 'correctCallRate';
  const source = toMetricSource(
    await chooseBucketSource(bucketSeconds, { range, filters: query, byCode }, context),
    { metric, context },
  );
  const sql = isTimed(metric) ? seriesSql(query, source) : countsSql(by, source);
  const params = { ...source.where.params, bucket_seconds: bucketSeconds, shift_seconds: 0 };
  const stored = await context.store.query({ sql, params, row: Row, callRange: range });
  const rows = isTimed(metric) ? stored : foldOtherLines(stored, query);
  const chart = { metric, by, range, bucketSeconds };
  const compared =
    compare === undefined ? undefined : await readComparedSeries({ query, compare, chart, rows }, context);
  return {
    range,
    metric,
    bucketSeconds,
    series: prepareSeries(rows, chart),
    ...(compared !== undefined && { compared }),
  };
}

interface ComparisonOptions {
  readonly query: ResolvedQuery<SeriesQuery>;
  readonly compare: Comparison;
  readonly chart: Chart;
  /** Rows of the chart; its lines are the ones to compare. */
  readonly rows: readonly LineRow[];
}

/** Earlier calls of the same lines, in the buckets of the chart; undefined if there are none. */
async function readComparedSeries(
  { query, compare, chart, rows }: ComparisonOptions,
  context: QueryContext,
): Promise<SeriesResponse['compared']> {
  const earlier = toComparisonRange(chart.range, compare, context);
  if (earlier === undefined || !isKept(earlier.range, query, context)) return undefined;
  const { range, shiftMs } = earlier;
  const grain = chooseGrainFor(chart.bucketSeconds, { range, filters: query, retention: context });
  const source = toMetricSource(toCallSource(grain, { range, filters: query }), {
    metric: query.metric,
    context,
  });
  const lines = listKeptLines(rows);
  if (lines.length === 0) return undefined;
  const found = await context.store.query({
    sql: seriesSql(query, source, IN_LINES),
    params: {
      ...source.where.params,
      bucket_seconds: chart.bucketSeconds,
      shift_seconds: shiftMs / 1_000,
      line_servers: lines.map(({ server }) => server),
      line_names: lines.map(({ name }) => name),
    },
    row: Row,
    callRange: range,
  });
  return { range, shiftMs, series: prepareComparedSeries(found, { chart, lines: rows }) };
}

/** For the correct call rate, the calls that a refusal or a code shows to be wrong take the place of errors. */
function toMetricSource(
  source: CallSource,
  { metric, context }: { readonly metric: SeriesQuery['metric']; readonly context: QueryContext },
): CallSource {
  if (metric !== 'correctCallRate') return source;
  const wrong = whereWrongCall(context.errorCodes);
  const { aggregates, where } = source;
  return {
    aggregates: { ...aggregates, errors: countCallsIf(aggregates, wrong.sql) },
    where: { sql: where.sql, params: { ...where.params, ...wrong.params } },
  };
}

/** Bits of `kept`: ranked by calls, or by errors. */
const BY_CALLS = 1;
const BY_ERRORS = 2;

/** Rows outside the chart's lines become one row per bucket. */
function foldOtherLines(stored: readonly LineRow[], query: Pick<SeriesQuery, 'by' | 'metric'>): LineRow[] {
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
 * Calls and errors of every line ranked by either: both charts share one statement, which runs once for a
 * page that shows both.
 */
function countsSql(by: SeriesQuery['by'], { aggregates, where }: CallSource): string {
  const { server, name } = LINE_COLUMNS[by];
  const inLine = inLineSql(by);
  const rank = (order: string): string =>
    `dense_rank() OVER (ORDER BY in_line DESC, ${order} line_calls DESC, server_of, name_of)`;
  return `
    SELECT
      bucket_start,
      in_line * ((by_calls <= ${MAX_LINES}) * ${BY_CALLS} + (by_errors <= ${MAX_LINES}) * ${BY_ERRORS}) AS kept,
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
            ${bucketStartSql(aggregates.time)} AS bucket_start,
            toUInt8(${inLine}) AS in_line,
            toString(${server}) AS server_of,
            toString(${name}) AS name_of,
            ${aggregates.calls} AS n_of,
            ${aggregates.errors} AS failed_of
          FROM ${aggregates.table}
          WHERE ${where.sql}
          GROUP BY bucket_start, in_line, server_of, name_of
        )
      )
    )
    GROUP BY bucket_start, kept, server, name`;
}

/** Only errors have a code: successful calls are in no line, but count in the denominator of the rate. */
const inLineSql = (by: SeriesQuery['by']): string => (by === 'code' ? `fault != 'none'` : '1');

/** @param among which lines are kept; the ranked ones by default */
function seriesSql(
  { by, metric }: Pick<SeriesQuery, 'by' | 'metric'>,
  { aggregates, where }: CallSource,
  among?: string,
): string {
  const { server, name } = LINE_COLUMNS[by];
  // A chart of errors ranks lines by errors, however rarely they are called.
  const order = ranksByErrors({ by, metric }) ? [aggregates.errors, aggregates.calls] : [aggregates.calls];
  const inLine = inLineSql(by);
  const ranked = `
        SELECT ${server}, ${name} FROM ${aggregates.table} WHERE ${where.sql} AND ${inLine}
        GROUP BY 1, 2 ORDER BY ${order.map((figure) => `${figure} DESC`).join(', ')}, 1, 2 LIMIT ${MAX_LINES}`;
  // Duration states are most of the bytes of a rollup: only percentile charts read them, and only for their
  // lines.
  const timed = isTimed(metric);
  return `
    SELECT
      ${bucketStartSql(aggregates.time)} AS bucket_start,
      ${inLine} AND (${server}, ${name}) IN (${among ?? ranked}) AS kept,
      if(kept, ${server}, '') AS server,
      if(kept, ${name}, '') AS name,
      ${aggregates.calls} AS n,
      ${aggregates.errors} AS failed,
      ${timed ? aggregates.timed : '0'} AS timed,
      ${timed ? aggregates.percentiles : '[NULL, NULL, NULL]'} AS percentiles
    FROM ${aggregates.table}
    WHERE ${where.sql}${timed ? ' AND kept' : ''}
    GROUP BY bucket_start, kept, server, name`;
}
