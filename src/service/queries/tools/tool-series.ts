// The charts of the page of one tool: calls, errors by code and latency in one statement, and what happened at the
// server in another. Durations are merged per bucket over all codes, so they form a grouping set of their own.
//
// Serves the tool page. The rollups begin with the server and the hour, then the tool; sightings, annotations and
// alert events have a few rows per server.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ToolQuery } from '../../../contract/tool.ts';
import { TOOL_MARKS, type ToolSeriesResponse } from '../../../contract/tool-series.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { bucketStartSql, chooseBucketSeconds } from '../query/bucket.ts';
import { type CallSource, toCallSource } from '../query/call-source.ts';
import { alignRange, chooseGrainFor, toFinestBucketSeconds } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { Percentiles, toPercentilesMs } from '../query/row-values.ts';

/** More codes cannot be distinguished. */
const MAX_CODES = 7;

const Row = z.object({
  /** 1 for a row over all codes. */
  is_total: count,
  bucket_start: count,
  code: z.string(),
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
});
type Row = z.infer<typeof Row>;

/** @param tool its name */
export async function getToolSeries(
  tool: string,
  query: ResolvedQuery<ToolQuery>,
  context: QueryContext,
): Promise<ToolSeriesResponse> {
  const { range: requested, ...filters } = query;
  const range = alignRange(requested, context);
  const selection = { range, filters: { ...filters, tool } };
  const bucketSeconds = chooseBucketSeconds(range, toFinestBucketSeconds(range, context));
  const grain = chooseGrainFor(bucketSeconds, { ...selection, retention: context });
  const source = toCallSource(grain, selection);
  const [rows, marks] = await Promise.all([
    context.store.query({
      sql: seriesSql(source),
      params: { ...source.where.params, bucket_seconds: bucketSeconds, shift_seconds: 0 },
      row: Row,
      callRange: range,
    }),
    readMarks({ server: query.server, tool, range }, context),
  ]);
  const totals = rows.filter(({ is_total }) => is_total === 1);
  return {
    range,
    bucketSeconds,
    points: totals.map(toPoint).sort((one, other) => one.atMs - other.atMs),
    codes: toCodes(rows.filter((row) => row.is_total === 0 && row.failed > 0)),
    marks,
  };
}

const seriesSql = ({ aggregates, where }: CallSource): string => `
    SELECT
      grouping(code_of) AS is_total,
      bucket_start,
      toString(code_of) AS code,
      ${aggregates.calls} AS n,
      ${aggregates.errors} AS failed,
      ${aggregates.timed} AS timed,
      ${aggregates.percentiles} AS percentiles
    FROM (
      SELECT *, ${bucketStartSql(aggregates.time)} AS bucket_start, if(fault = 'none', '', toString(error_code)) AS code_of
      FROM ${aggregates.table}
      WHERE ${where.sql}
    )
    GROUP BY GROUPING SETS ((bucket_start), (bucket_start, code_of))`;

function toPoint(row: Row): ToolSeriesResponse['points'][number] {
  const { bucket_start, n, failed, timed } = row;
  return { atMs: bucket_start * 1_000, calls: n, errors: failed, timed, ...toPercentilesMs(row) };
}

function toCodes(rows: readonly Row[]): ToolSeriesResponse['codes'] {
  const codes = [...groupBy(rows, ({ code }) => code)]
    .map(([code, own]) => toCode(own, { code, isRest: false }))
    .sort((one, other) => other.errors - one.errors || (one.code < other.code ? -1 : 1));
  const shown = codes.slice(0, MAX_CODES);
  const names = new Set(shown.map(({ code }) => code));
  const rest = rows.filter(({ code }) => !names.has(code));
  return rest.length === 0 ? shown : [...shown, toCode(rest, { code: '', isRest: true })];
}

function toCode(
  rows: readonly Row[],
  name: { readonly code: string; readonly isRest: boolean },
): ToolSeriesResponse['codes'][number] {
  const counts = new Map<number, number>();
  for (const { bucket_start, failed } of rows)
    counts.set(bucket_start * 1_000, (counts.get(bucket_start * 1_000) ?? 0) + failed);
  const points = [...counts].sort(([one], [other]) => one - other);
  return { ...name, errors: points.reduce((sum, [, errors]) => sum + errors, 0), points };
}

const MarkRow = z.object({ kind: z.enum(TOOL_MARKS), at_ms: count, text: z.string() });

interface MarkScope {
  readonly server: string;
  readonly tool: string;
  readonly range: ResolvedQuery<ToolQuery>['range'];
}

/** The first version of a server is not a change. */
async function readMarks(
  { server, tool, range: { fromMs, toMs } }: MarkScope,
  { store }: QueryContext,
): Promise<ToolSeriesResponse['marks']> {
  const rows = await store.query({
    sql: MARKS_SQL,
    params: { of_server: server, of_tool: tool, from_ms: fromMs, to_ms: toMs },
    row: MarkRow,
  });
  const firstVersionMs = rows.find(({ kind }) => kind === 'version')?.at_ms;
  return rows
    .filter(({ kind, at_ms }) => at_ms >= fromMs && !(kind === 'version' && at_ms === firstVersionMs))
    .map(({ at_ms, kind, text }) => ({ atMs: at_ms, kind, text }));
}

const IN_RANGE = `at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')`;
const toMs = (time: string): string => `toUnixTimestamp64Milli(toDateTime64(${time}, 3, 'UTC'))`;
/** An alert about several tools names them in one label. */
const MARKS_SQL = `
    SELECT kind, at_ms, text
    FROM (
    SELECT 'version' AS kind, ${toMs('min(first_seen)')} AS at_ms, toString(name) AS text
    FROM name_sightings
    WHERE server_name = {of_server:String} AND part = 'version'
    GROUP BY name
    HAVING at_ms < {to_ms:Int64}
    UNION ALL
    SELECT 'annotation' AS kind, ${toMs('at')} AS at_ms, text
    FROM annotations FINAL
    WHERE ${IN_RANGE} AND withdrawn = 0 AND server_name IN ('', {of_server:String})
    UNION ALL
    SELECT 'alert' AS kind, ${toMs('at')} AS at_ms, rule_id AS text
    FROM alert_events
    WHERE ${IN_RANGE} AND to_state = 'firing' AND labels['server'] IN ('', {of_server:String})
      AND (labels['tool'] = '' OR has(splitByString(', ', labels['tool']), {of_tool:String}))
    )
    ORDER BY at_ms, kind, text
    LIMIT 500`;
