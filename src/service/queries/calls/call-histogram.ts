// The bars above the list of calls. They come from the rollups if those have every filter that is set, else from
// `calls`, of which only the time, the outcome and the filtered columns are read.
//
// Serves the calls page. Both are read by time: the rollups and the calls have parts per day.

import { z } from 'zod';
import type { CallHistogramQuery, CallHistogramResponse } from '../../../contract/call-histogram.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { bucketStartSql, chooseBucketSeconds, MAX_BARS } from '../query/bucket.ts';
import { toCallSource } from '../query/call-source.ts';
import { allOf, canFilter, rawSql, type Where } from '../query/filters.ts';
import { alignRange, chooseGrainFor, inRange, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { whereCalls } from './calls.ts';

const Row = z.object({
  bucket_start: count,
  of_outcome: z.enum(OUTCOMES),
  of_fault: z.enum(FAULTS),
  n: count,
});
type Row = z.infer<typeof Row>;

/** The calls of a list in buckets, by outcome and fault. */
export async function getCallHistogram(
  query: ResolvedQuery<CallHistogramQuery>,
  context: QueryContext,
): Promise<CallHistogramResponse> {
  const { range: requested, ...filters } = query;
  const range = alignRange(requested, context);
  const bucketSeconds = chooseBucketSeconds(range, toFinestBucketSeconds(range, context), MAX_BARS);
  const { table, time, calls, where } = toSource({ range, filters, bucketSeconds }, context);
  const rows = await context.store.query({
    sql: `
    SELECT
      ${bucketStartSql(time)} AS bucket_start,
      toString(outcome) AS of_outcome,
      toString(fault) AS of_fault,
      ${calls} AS n
    FROM ${table}
    WHERE ${where.sql}
    GROUP BY bucket_start, of_outcome, of_fault
    ORDER BY bucket_start`,
    params: { ...where.params, bucket_seconds: bucketSeconds, shift_seconds: 0 },
    row: Row,
    callRange: range,
  });
  return { range, bucketSeconds, series: toSeries(rows) };
}

interface HistogramScope {
  readonly range: TimeRange;
  readonly filters: Omit<ResolvedQuery<CallHistogramQuery>, 'range'>;
  readonly bucketSeconds: number;
}

interface HistogramSource {
  readonly table: string;
  readonly time: string;
  readonly calls: string;
  readonly where: Where;
}

function toSource({ range, filters, bucketSeconds }: HistogramScope, context: QueryContext): HistogramSource {
  const { counted, errors, minMs, maxMs, q, ...names } = filters;
  const isRolledUp =
    counted &&
    minMs === undefined &&
    maxMs === undefined &&
    q === undefined &&
    canFilter('tool_minutes', names);
  if (!isRolledUp) {
    const where = allOf(inRange('started_at', range), whereCalls(filters));
    return { table: 'calls', time: 'started_at', calls: 'count()', where };
  }
  const grain = chooseGrainFor(bucketSeconds, { range, filters: names, retention: context });
  const { aggregates, where } = toCallSource(grain, { range, filters: names });
  const failed = rawSql(errors === undefined ? '' : `fault ${errors === 'true' ? '!=' : '='} 'none'`);
  return { ...aggregates, where: allOf(where, failed) };
}

function toSeries(rows: readonly Row[]): CallHistogramResponse['series'] {
  const series = [...groupBy(rows, (row) => `${row.of_outcome} ${row.of_fault}`).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const points = own.map(({ bucket_start, n }): [number, number] => [bucket_start * 1_000, n]);
    return [{ outcome: first.of_outcome, fault: first.of_fault, points }];
  });
  return series.sort(
    (one, other) =>
      OUTCOMES.indexOf(one.outcome) - OUTCOMES.indexOf(other.outcome) ||
      FAULTS.indexOf(one.fault) - FAULTS.indexOf(other.fault),
  );
}
