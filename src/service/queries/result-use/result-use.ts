// Which results fed which arguments. Only single calls say so, so the newest calls of each server are read, and the response says how many.
//
// Serves the page of result use. Windows of `calls` are ranges of its key, server and time; both texts are columns of few
// values, so that grouping by them costs little.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import type { ResultUseResponse } from '../../../contract/result-use.ts';
import { count } from '../../store/row-codec.ts';
import { chooseBucketSeconds, listBucketStarts } from '../query/bucket.ts';
import { inWindows, readCallWindows } from '../query/call-window.ts';
import type { Where } from '../query/filters.ts';
import { alignRange, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { MIN_UNUSED_RESULTS, MIN_UNUSED_SESSIONS, summariseResultUse } from './summarise-result-use.ts';

/** Of each server. */
const MAX_CALLS = 100_000;
/** Texts and fields of a server are as many as its tools have ways to be called. */
const MAX_ROWS = 20_000;

const OriginsRow = z.object({
  ...{ server: z.string(), tool: z.string(), origins: z.string() },
  ...{ has_fields: z.number().transform((value) => value === 1), n: count, errors: count },
});
const FieldsRow = z.object({
  ...{ server: z.string(), tool: z.string(), path: z.string() },
  ...{ n: count, session_count: count },
});
const PointRow = z.object({ bucket_start: count, results: count, used: count });

/** Edges between tools, unused fields, arguments from nowhere, and the share of results that fed later calls. */
export async function getResultUse(
  query: ResolvedQuery<CommonQuery>,
  context: QueryContext,
): Promise<ResultUseResponse> {
  const range = alignRange(query.range, context);
  const windows = await readCallWindows({ range, filters: query, maxCalls: MAX_CALLS }, context);
  const window = {
    fromMs: Math.min(range.toMs, ...windows.map(({ fromMs }) => fromMs)),
    calls: windows.reduce((sum, { calls }) => sum + calls, 0),
    isWhole: windows.every(({ isWhole }) => isWhole),
  };
  const bucketSeconds = chooseBucketSeconds(range, toFinestBucketSeconds(range, context));
  const where = inWindows(windows, query);
  const [origins, fields, points] =
    windows.length === 0
      ? [[], [], []]
      : await Promise.all([
          context.store.query({ sql: originsSql(where), params: where.params, row: OriginsRow }),
          context.store.query({ sql: fieldsSql(where), params: where.params, row: FieldsRow }),
          context.store.query({ sql: pointsSql(where, bucketSeconds), params: where.params, row: PointRow }),
        ]);
  const byStart = new Map(points.map((point) => [point.bucket_start, point]));
  return {
    range,
    window,
    ...summariseResultUse(origins, fields),
    bucketSeconds,
    points: listBucketStarts(range, bucketSeconds).map((atMs) => ({
      atMs,
      results: byStart.get(atMs / 1_000)?.results ?? 0,
      used: byStart.get(atMs / 1_000)?.used ?? 0,
    })),
  };
}

const originsSql = (where: Where): string => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      argument_origins AS origins,
      result_fields != '' AS has_fields,
      count() AS n,
      countIf(fault != 'none') AS errors
    FROM calls
    WHERE ${where.sql} AND (argument_origins != '' OR result_fields != '')
    GROUP BY server, tool, origins, has_fields
    ORDER BY n DESC
    LIMIT ${MAX_ROWS}`;

const fieldsSql = (where: Where): string => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      arrayJoin(JSONExtract(result_fields, 'Array(String)')) AS path,
      count() AS n,
      uniqCombined(cityHash64(session_source, session_id)) AS session_count
    FROM calls
    WHERE ${where.sql} AND result_fields != ''
    GROUP BY server, tool, path
    HAVING n >= ${MIN_UNUSED_RESULTS} AND session_count >= ${MIN_UNUSED_SESSIONS}
    ORDER BY n DESC
    LIMIT ${MAX_ROWS}`;

/** A use is the last element of an origin, and no kind is written so: the text tells uses without being parsed. */
const pointsSql = (where: Where, bucketSeconds: number): string => `
    SELECT
      intDiv(toUnixTimestamp(started_at), ${bucketSeconds}) * ${bucketSeconds} AS bucket_start,
      countIf(result_fields != '') AS results,
      sum(countSubstrings(toString(argument_origins), ',"first"]') + countSubstrings(toString(argument_origins), ',"first_page"]')) AS used
    FROM calls
    WHERE ${where.sql} AND (argument_origins != '' OR result_fields != '')
    GROUP BY bucket_start`;
