// The latency heatmap of a tool: its calls by time and by duration in powers of two, from single calls, because the
// rollups have states of percentiles only.
//
// Serves the tool page. `calls` begins with the server and five minutes of time, then the tool.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ToolQuery } from '../../../contract/tool.ts';
import type { ToolLatencyResponse } from '../../../contract/tool-series.ts';
import { count } from '../../store/row-codec.ts';
import { bucketStartSql, chooseBucketSeconds } from '../query/bucket.ts';
import { TIMED, toCallSource } from '../query/call-source.ts';
import { clipToRetention } from '../query/call-window.ts';
import { allOf, rawSql } from '../query/filters.ts';
import { alignRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';

const Row = z.object({ bucket_start: count, exponent: z.number().int(), n: count });

/** @param tool its name */
export async function getToolLatency(
  tool: string,
  { range: requested, ...filters }: ResolvedQuery<ToolQuery>,
  context: QueryContext,
): Promise<ToolLatencyResponse> {
  const aligned = alignRange(requested, context);
  const range = clipToRetention(aligned, context);
  const bucketSeconds = chooseBucketSeconds(range ?? aligned, 1);
  if (range === undefined) return { range: aligned, bucketSeconds, cells: [] };
  const { where } = toCallSource('calls', { range, filters: { ...filters, tool } });
  const { sql, params } = allOf(where, rawSql(TIMED));
  const rows = await context.store.query({
    sql: `
    SELECT
      ${bucketStartSql('started_at')} AS bucket_start,
      toInt32(floor(log2(greatest(duration_us, 1) / 1000))) AS exponent,
      count() AS n
    FROM calls
    WHERE ${sql}
    GROUP BY bucket_start, exponent
    ORDER BY bucket_start, exponent`,
    params: { ...params, bucket_seconds: bucketSeconds, shift_seconds: 0 },
    row: Row,
    callRange: range,
  });
  return {
    range,
    bucketSeconds,
    cells: rows.map(({ bucket_start, exponent, n }) => [bucket_start * 1_000, exponent, n]),
  };
}
