// Which results fed which arguments. Only single calls say so, so the newest calls of each server are read, and the response says how many.
//
// Serves the page of result use. Windows of `calls` are ranges of its key, server and time; both texts are columns of few
// values, so that grouping by them costs little.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { CommonQuery } from '../../../contract/query.ts';
import type { ResultUseResponse } from '../../../contract/result-use.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { bucketStartSql, chooseBucketSeconds, listBucketStarts } from '../query/bucket.ts';
import { inWindows, readCallWindows } from '../query/call-window.ts';
import type { Where } from '../query/filters.ts';
import { alignRange, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { MIN_UNUSED_RESULTS, MIN_UNUSED_SESSIONS, summariseResultUse } from './summarise-result-use.ts';
import { readUsedResults, sumResults, toResultBucketKeys, type UsedResultsRow } from './used-results.ts';

/** Of each server. */
const MAX_CALLS = 100_000;
/** Texts and fields of a server are as many as its tools have ways to be called. */
const MAX_ROWS = 20_000;

const OriginsRow = z.object({
  ...{ server: z.string(), tool: z.string(), origins: z.string() },
  ...{ n: count, errors: count },
});
const FieldsRow = z.object({
  ...{ server: z.string(), tool: z.string(), path: z.string() },
  ...{ n: count, session_count: count },
});

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
  const { range: _, ...filters } = query;
  const keys = toResultBucketKeys(bucketStartSql('started_at'));
  const params = { bucket_seconds: bucketSeconds, shift_seconds: 0 };
  const [origins, fields, results] =
    windows.length === 0
      ? [[], [], []]
      : await Promise.all([
          context.store.query({ sql: originsSql(where), params: where.params, row: OriginsRow }),
          context.store.query({ sql: fieldsSql(where), params: where.params, row: FieldsRow }),
          readUsedResults({ windows, filters, keys, params }, context),
        ]);
  const byStart = groupBy(results, ({ bucket_start }) => bucket_start);
  return {
    range,
    window,
    ...summariseResultUse({ origins, fields, results }),
    bucketSeconds,
    points: listBucketStarts(range, bucketSeconds).map((atMs) => ({
      atMs,
      ...toPoint(byStart.get(atMs / 1_000) ?? []),
    })),
  };
}

function toPoint(rows: readonly UsedResultsRow[]) {
  const { results, used } = sumResults(rows);
  return { results, used };
}

const originsSql = (where: Where): string => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      argument_origins AS origins,
      count() AS n,
      countIf(fault != 'none') AS errors
    FROM calls
    WHERE ${where.sql} AND argument_origins != ''
    GROUP BY server, tool, origins
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
