// Recovery and the use of results over time. Both need single calls, what came after an error or used a result, so they cover the
// newest calls of each server; earlier buckets have no value.

import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { SeriesQuery, SeriesResponse } from '../../../contract/series.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { UserError } from '../../../errors.ts';
import { MAX_EVIDENCE_CALLS } from '../advice/evidence.ts';
import { bucketStartSql, chooseBucketSeconds } from '../query/bucket.ts';
import { type CallWindow, readCallWindows } from '../query/call-window.ts';
import { toComparisonRange } from '../query/comparison-range.ts';
import type { CommonFilters } from '../query/filters.ts';
import { alignRange, isKept, requireKept, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readUsedResults, toResultBucketKeys, type UsedResultsRow } from '../result-use/used-results.ts';
import { readDefinitions } from '../tools/definitions.ts';
import { type RecoveryRow, readRecoveries, toBucketKeys } from '../tools/error-recovery.ts';
import {
  type LineRow,
  listKeptLines,
  MAX_LINES,
  prepareComparedSeries,
  prepareSeries,
} from './prepare-series.ts';

const WINDOW_METRICS = ['recoveryRate', 'resultUseRate'] as const;
type WindowMetric = (typeof WINDOW_METRICS)[number];
type WindowSeriesQuery = ResolvedQuery<SeriesQuery> & { readonly metric: WindowMetric };

/** Whether `getWindowSeries` returns the metric. */
export function isWindowQuery(query: ResolvedQuery<SeriesQuery>): query is WindowSeriesQuery {
  return WINDOW_METRICS.some((metric) => metric === query.metric);
}

/**
 * Errors that were recovered from, in the buckets of the errors, or results that fed later calls, in those of the results.
 *
 * @throws UserError INVALID_PARAMETER for the use of results by error code
 */
export async function getWindowSeries(
  query: WindowSeriesQuery,
  context: QueryContext,
): Promise<SeriesResponse> {
  if (query.metric === 'resultUseRate' && query.by === 'code')
    throw new UserError('INVALID_PARAMETER', 'Results that can feed later calls have no error code.', {
      field: 'by',
      hint: 'Use "tool" or "server".',
    });
  const range = alignRange(query.range, context);
  requireKept(range, query, context);
  const bucketSeconds = chooseBucketSeconds(range, toFinestBucketSeconds(range, context));
  const { metric, by, compare } = query;
  const rows = keepLines(await readLines(query, { range, bucketSeconds, shiftMs: 0 }, context));
  const chart = { metric, by, range, bucketSeconds };
  const earlier = compare && toComparisonRange(range, compare, context);
  const response = { range, metric, bucketSeconds, series: prepareSeries(rows, chart) };
  if (earlier === undefined || rows.length === 0 || !isKept(earlier.range, query, context)) return response;
  const lines = new Set(listKeptLines(rows).map(toKey));
  const before = (await readLines(query, { ...earlier, bucketSeconds }, context)).filter((row) =>
    lines.has(toKey(row)),
  );
  return {
    ...response,
    compared: { ...earlier, series: prepareComparedSeries(before, { chart, lines: rows }) },
  };
}

interface LineSpan {
  readonly range: TimeRange;
  readonly bucketSeconds: number;
  readonly shiftMs: number;
}

async function readLines(
  { by, metric, server, environment, ...query }: WindowSeriesQuery,
  { range, bucketSeconds, shiftMs }: LineSpan,
  context: QueryContext,
): Promise<LineRow[]> {
  const filters = { ...query, server, environment };
  const windows = readCallWindows(
    { range, filters: { ...filters, tool: undefined }, maxCalls: MAX_EVIDENCE_CALLS },
    context,
  );
  const params = { bucket_seconds: bucketSeconds, shift_seconds: shiftMs / 1_000 };
  const counts = await READ_COUNTS[metric]({ by, filters, windows, params }, context);
  const groups = groupBy(counts, ({ server: of, name, bucket_start }) =>
    JSON.stringify([of, name, bucket_start]),
  );
  return [...groups.values()].flatMap(toLineRow);
}

interface CountQuery {
  readonly by: SeriesQuery['by'];
  readonly filters: CommonFilters;
  readonly windows: Promise<readonly CallWindow[]>;
  /** Of the buckets. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Part of a line in one bucket. */
type LineCount = Pick<LineRow, 'server' | 'name' | 'bucket_start' | 'n' | 'failed'>;

const BUCKET_SQL = bucketStartSql('started_at');

const READ_COUNTS: Readonly<
  Record<WindowMetric, (query: CountQuery, context: QueryContext) => Promise<LineCount[]>>
> = {
  recoveryRate: async ({ by, filters, windows, params }, context) => {
    const { server, environment } = filters;
    const [found, definitions] = await Promise.all([
      windows,
      readDefinitions({ server, environment }, context),
    ]);
    const keys = toBucketKeys(BUCKET_SQL, by === 'code');
    const rows = await readRecoveries({ windows: found, filters, definitions, keys, params }, context);
    return rows.map((row) => toRecoveryCount(row, by));
  },
  resultUseRate: async ({ by, filters, windows, params }, context) => {
    const keys = toResultBucketKeys(BUCKET_SQL);
    const rows = await readUsedResults({ windows: await windows, filters, keys, params }, context);
    return rows.map((row) => toUseCount(row, by));
  },
};

function toRecoveryCount(row: RecoveryRow, by: SeriesQuery['by']): LineCount {
  const line = { tool: row.tool, server: '', code: row.of_code };
  return {
    server: by === 'code' ? '' : row.server,
    name: line[by],
    ...{ bucket_start: row.of_bucket, n: row.n, failed: row.n - row.recovered_calls },
  };
}

function toUseCount(row: UsedResultsRow, by: SeriesQuery['by']): LineCount {
  const { server, tool, bucket_start, results, used } = row;
  return { server, name: by === 'tool' ? tool : '', bucket_start, n: results, failed: results - used };
}

function toLineRow(counts: readonly LineCount[]): LineRow[] {
  const [first] = counts;
  if (first === undefined) return [];
  const sum = (figure: 'n' | 'failed') => counts.reduce((total, row) => total + row[figure], 0);
  return [{ ...first, kept: 1, n: sum('n'), failed: sum('failed'), timed: 0, percentiles: [] }];
}

/** The lines with the most errors without a recovery, or results that fed nothing. */
function keepLines(rows: readonly LineRow[]): LineRow[] {
  const sum = (line: readonly LineRow[], figure: 'n' | 'failed'): number =>
    line.reduce((total, row) => total + row[figure], 0);
  return [...groupBy(rows, toKey)]
    .sort(
      ([a, one], [b, other]) =>
        sum(other, 'failed') - sum(one, 'failed') || sum(other, 'n') - sum(one, 'n') || (a < b ? -1 : 1),
    )
    .slice(0, MAX_LINES)
    .flatMap(([, line]) => line);
}

const toKey = ({ server, name }: Pick<LineRow, 'server' | 'name'>): string => JSON.stringify([server, name]);
