// The recovery rate over time. It needs calls in order, so it covers the newest calls of each server; earlier buckets have no
// value.

import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { SeriesQuery, SeriesResponse } from '../../../contract/series.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { MAX_EVIDENCE_CALLS } from '../advice/evidence.ts';
import { bucketStartSql, chooseBucketSeconds } from '../query/bucket.ts';
import { readCallWindows } from '../query/call-window.ts';
import { toComparisonRange } from '../query/comparison-range.ts';
import { alignRange, isKept, requireKept, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readDefinitions } from '../tools/definitions.ts';
import { type RecoveryRow, readRecoveries, toBucketKeys } from '../tools/error-recovery.ts';
import {
  type LineRow,
  listKeptLines,
  MAX_LINES,
  prepareComparedSeries,
  prepareSeries,
} from './prepare-series.ts';

/** The line of a row, by its columns. */
const TO_LINE: Readonly<
  Record<SeriesQuery['by'], (row: RecoveryRow) => { readonly server: string; readonly name: string }>
> = {
  tool: ({ server, tool }) => ({ server, name: tool }),
  server: ({ server }) => ({ server, name: '' }),
  code: ({ of_code }) => ({ server: '', name: of_code }),
};

/** Errors that were recovered from, in the buckets of the errors. */
export async function getRecoverySeries(
  query: ResolvedQuery<SeriesQuery>,
  context: QueryContext,
): Promise<SeriesResponse> {
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
  { by, server, environment, ...query }: ResolvedQuery<SeriesQuery>,
  { range, bucketSeconds, shiftMs }: LineSpan,
  context: QueryContext,
): Promise<LineRow[]> {
  const filters = { ...query, server, environment };
  const [windows, definitions] = await Promise.all([
    readCallWindows(
      { range, filters: { ...filters, tool: undefined }, maxCalls: MAX_EVIDENCE_CALLS },
      context,
    ),
    readDefinitions({ server, environment }, context),
  ]);
  const keys = toBucketKeys(bucketStartSql('started_at'), by === 'code');
  const params = { bucket_seconds: bucketSeconds, shift_seconds: shiftMs / 1_000 };
  const rows = await readRecoveries({ windows, filters, definitions, keys, params }, context);
  const groups = groupBy(rows, (row) => JSON.stringify([TO_LINE[by](row), row.of_bucket]));
  return [...groups.values()].flatMap((own) => toLineRow(own, by));
}

function toLineRow(rows: readonly RecoveryRow[], by: SeriesQuery['by']): LineRow[] {
  const [first] = rows;
  if (first === undefined) return [];
  const n = rows.reduce((sum, row) => sum + row.n, 0);
  const recovered = rows.reduce((sum, row) => sum + row.recovered_calls, 0);
  const line = { ...TO_LINE[by](first), bucket_start: first.of_bucket, kept: 1 };
  return [{ ...line, n, failed: n - recovered, timed: 0, percentiles: [] }];
}

/** The lines with the most errors without a recovery. */
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
