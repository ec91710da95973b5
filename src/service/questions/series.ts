// The charts: one line per tool, server or error code over the range. A bucket is as wide as makes 30 to 120 points, so
// the table is the coarsest whose rows fit into one: hours for weeks, minutes for a day, single calls for an hour.

import { z } from 'zod';
import type { SeriesAnswer } from '../../contract/answers.ts';
import type { SeriesQuery } from '../../contract/query.ts';
import { bucketSecondsFor } from './bucket.ts';
import { type Counted, countedCalls, type Figures } from './figures.ts';
import { alignRange, chooseGrainFor, finestBucket } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { prepareSeries } from './prepare-series.ts';
import { count, Percentiles } from './row-values.ts';

/** Lines beyond this cannot be told apart; what is left over is one more line, in the chart of calls only. */
const MOST_LINES = 8;

type Key = SeriesQuery['by'];

/** What a line stands for, in SQL: the columns it is grouped by, and which lines are the most important. */
const LINES: Readonly<
  Record<Key, { readonly columns: string; readonly weight: (figures: Figures) => string }>
> = {
  tool: { columns: 'server_name, tool_name', weight: ({ calls }) => calls },
  server: { columns: `server_name, ''`, weight: ({ calls }) => calls },
  code: {
    columns: `if(fault = 'none', '', 'error'), if(fault = 'none', '', error_code)`,
    weight: ({ errors }) => errors,
  },
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
  const grain = chooseGrainFor(bucketSeconds, { range, filters: query, reach: asking });
  const counted = countedCalls(grain, { range, filters: query });
  const rows = await asking.store.query({
    sql: seriesSql(query.by, counted),
    params: { ...counted.where.params, bucket_seconds: bucketSeconds },
    row: Row,
  });
  const { metric, by } = query;
  return { range, metric, bucketSeconds, series: prepareSeries(rows, { metric, by, range, bucketSeconds }) };
}

function seriesSql(by: Key, { figures, where }: Counted): string {
  const { columns, weight } = LINES[by];
  // Only errors have a code: what did not fail is no line of its own, but counts below the rate.
  const lines = by === 'code' ? `${where.sql} AND fault != 'none'` : where.sql;
  return `
    SELECT
      intDiv(toUnixTimestamp(${figures.time}), {bucket_seconds:UInt32}) * {bucket_seconds:UInt32} AS bucket_start,
      (${columns}) AS line,
      line IN (
        SELECT ${columns} FROM ${figures.table} WHERE ${lines}
        GROUP BY 1, 2 ORDER BY ${weight(figures)} DESC, 1, 2 LIMIT ${MOST_LINES}) AS kept,
      if(kept, line.1, '') AS server,
      if(kept, line.2, '') AS name,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY bucket_start, kept, server, name`;
}
