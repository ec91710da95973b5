// The calls of one tool sliced by client, by result size and by definition, and in total. Whole days come
// from the rollups; single calls are read at the edges of the range, or throughout if a filter is not a
// column of the days. One read serves all slices: calls are aggregated once into few groups with states,
// which the slices then merge.

import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import { TIMED } from '../query/call-source.ts';
import { type DaySplit, splitIntoDays } from '../query/day-split.ts';
import type { CommonFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { Percentiles } from '../query/row-values.ts';

/** One tool of one server over a range. */
export interface ToolStatsQuery {
  readonly range: TimeRange;
  readonly filters: CommonFilters & { readonly server: string; readonly tool: string };
}

/** Lower bounds of the result-size buckets in bytes; the days use the same. */
export const RESULT_SIZES: readonly number[] = [0, 1_000, 10_000, 100_000, 1_000_000];

const MAX_SLICES = 300;

/** By index in `RESULT_SIZES`. */
const sizeRecord = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

const StoredRow = z.object({
  part: z.enum(['client', 'definition', 'all']),
  client: z.string(),
  hash: z.string(),
  n: count,
  failed: count,
  ok_calls: count,
  timed_calls: count,
  percentiles: Percentiles,
  session_count: count,
  result_p95: z.number().nullable(),
  /** The three size fields are filled only for `all`. */
  calls_by_size: sizeRecord(count),
  timed_by_size: sizeRecord(count),
  percentiles_by_size: sizeRecord(Percentiles),
});
type StoredRow = z.infer<typeof StoredRow>;
type SizeColumns = 'calls_by_size' | 'timed_by_size' | 'percentiles_by_size';
/** With `ok` and `timed` renamed as in all stats. */
export type SliceRow = Omit<StoredRow, 'ok_calls' | 'timed_calls' | SizeColumns> & {
  readonly ok: number;
  readonly timed: number;
};

export interface SizeRow {
  /** Index in `RESULT_SIZES`. */
  readonly size: number;
  readonly n: number;
  readonly timed: number;
  readonly percentiles: readonly (number | null)[];
}

const CatalogueRow = z.object({ catalogue: z.string(), hash: z.string() });

/**
 * @param query.range single calls of it are retained
 * @returns rows with the most calls first, and sizes in ascending order
 */
export async function readSlices(
  { range, filters }: ToolStatsQuery,
  context: QueryContext,
): Promise<{ readonly rows: readonly SliceRow[]; readonly sizes: readonly SizeRow[] }> {
  const { store } = context;
  const split = await splitIntoDays({ range, filters }, context);
  const catalogues = await store.query({
    sql: `
    SELECT catalogue_hash AS catalogue, leftPad(lower(hex(any(definition_hash))), 16, '0') AS hash
    FROM catalogue_tools
    WHERE server_name = {server:String} AND tool_name = {tool:String}
    GROUP BY catalogue`,
    params: { server: filters.server, tool: filters.tool },
    row: CatalogueRow,
  });
  // An empty list in a transform has no type.
  const known = [{ catalogue: '', hash: '' }, ...catalogues];
  const params = {
    ...split.calls.params,
    catalogues: known.map(({ catalogue }) => catalogue),
    hashes: known.map(({ hash }) => hash),
  };
  const stored = await store.query({ sql: slicesSql(split), params, row: StoredRow });
  return {
    rows: stored.map(({ ok_calls, timed_calls, ...row }) => ({ ...row, ok: ok_calls, timed: timed_calls })),
    sizes: toSizes(stored.find(({ part }) => part === 'all')),
  };
}

function toSizes(all: StoredRow | undefined): SizeRow[] {
  return RESULT_SIZES.flatMap((_, size) => {
    const n = all?.calls_by_size[size];
    if (all === undefined || n === undefined) return [];
    const percentiles = all.percentiles_by_size[size] ?? [null, null, null];
    return [{ size, n, timed: all.timed_by_size[size] ?? 0, percentiles }];
  });
}

const DEFINITION_HASH = `transform(toString(catalogue_hash), {catalogues:Array(String)}, {hashes:Array(String)}, '')`;
const STATS_COLUMNS = 'calls, errors, ok, timed, durations, sessions';
const SIZE_COLUMNS = 'results, sized_calls, sized_timed, sized_durations';
const SIZE_INDEX = `toUInt8(${RESULT_SIZES.slice(1)
  .map((bytes) => `(result_bytes >= ${bytes})`)
  .join(' + ')})`;
const NO_SIZES = `CAST(map(), 'Map(UInt8, UInt64)')`;

/** Single calls aggregated like a day, by client and definition. */
const callsSql = (where: string) => `
        SELECT
          toString(client_name) AS client_of,
          ${DEFINITION_HASH} AS hash_of,
          count() AS calls,
          countIf(fault != 'none') AS errors,
          countIf(outcome = 'ok') AS ok,
          countIf(${TIMED}) AS timed,
          quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, ${TIMED}) AS durations,
          uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions,
          quantilesBFloat16StateIf(0.95)(result_bytes, outcome = 'ok' AND result_bytes > 0) AS results,
          sumMap(map(${SIZE_INDEX}, toUInt64(1))) AS sized_calls,
          sumMap(map(${SIZE_INDEX}, toUInt64(${TIMED}))) AS sized_timed,
          quantilesBFloat16MapStateIf(0.5, 0.95, 0.99)(map(${SIZE_INDEX}, duration_us), ${TIMED}) AS sized_durations
        FROM calls
        WHERE ${where}
        GROUP BY client_of, hash_of`;

/** Every source by client, by definition, or both; the definitions together are all calls. */
function toSources({ calls, days, daysTable }: DaySplit): string[] {
  const bothWays = (source: string) => `
      SELECT arrayJoin(['client', 'definition']) AS way, if(way = 'client', client_of, '') AS client_in,
        if(way = 'definition', hash_of, '') AS hash_in, ${STATS_COLUMNS}, ${SIZE_COLUMNS}
      FROM (${source})`;
  const single = bothWays(callsSql(calls.sql));
  if (days === undefined) return [single];
  if (daysTable === 'client_days')
    return [
      single,
      bothWays(
        `SELECT toString(client_name) AS client_of, ${DEFINITION_HASH} AS hash_of, ${STATS_COLUMNS}, ${SIZE_COLUMNS} FROM client_days WHERE ${days}`,
      ),
    ];
  return [
    single,
    `
      SELECT 'definition' AS way, '' AS client_in, ${DEFINITION_HASH} AS hash_in, ${STATS_COLUMNS}, ${SIZE_COLUMNS}
      FROM tool_days
      WHERE ${days}`,
    `
      SELECT 'client' AS way, toString(client_name) AS client_in, '' AS hash_in, ${STATS_COLUMNS},
        arrayReduce('quantilesBFloat16State(0.95)', emptyArrayUInt64()) AS results, ${NO_SIZES} AS sized_calls, ${NO_SIZES} AS sized_timed,
        arrayReduce('quantilesBFloat16MapState(0.5, 0.95, 0.99)', CAST([], 'Array(Map(UInt8, UInt64))')) AS sized_durations
      FROM client_days
      WHERE ${days}`,
  ];
}

/** Merged once by client and definition, and then the few definitions again. */
function slicesSql(split: DaySplit): string {
  const ofDefinitions = `way = 'definition'`;
  return `
    SELECT
      part,
      client_in AS client,
      if(part = 'definition', hash_in, '') AS hash,
      sum(calls_in) AS n,
      sum(errors_in) AS failed,
      sum(ok_in) AS ok_calls,
      sum(timed_in) AS timed_calls,
      quantilesBFloat16Merge(0.5, 0.95, 0.99)(durations_in) AS percentiles,
      uniqCombinedMerge(sessions_in) AS session_count,
      quantilesBFloat16Merge(0.95)(results_in)[1] AS result_p95,
      sumMapIf(sized_calls_in, part = 'all') AS calls_by_size,
      sumMapIf(sized_timed_in, part = 'all') AS timed_by_size,
      quantilesBFloat16MapMergeIf(0.5, 0.95, 0.99)(sized_durations_in, part = 'all') AS percentiles_by_size
    FROM (
      SELECT
        way,
        client_in,
        hash_in,
        sum(calls) AS calls_in,
        sum(errors) AS errors_in,
        sum(ok) AS ok_in,
        sum(timed) AS timed_in,
        quantilesBFloat16MergeState(0.5, 0.95, 0.99)(durations) AS durations_in,
        uniqCombinedMergeState(sessions) AS sessions_in,
        quantilesBFloat16MergeState(0.95)(results) AS results_in,
        sumMapIf(sized_calls, ${ofDefinitions}) AS sized_calls_in,
        sumMapIf(sized_timed, ${ofDefinitions}) AS sized_timed_in,
        quantilesBFloat16MapMergeStateIf(0.5, 0.95, 0.99)(sized_durations, ${ofDefinitions}) AS sized_durations_in
      FROM (${toSources(split).join('\n      UNION ALL')}
      )
      GROUP BY way, client_in, hash_in
    )
    ARRAY JOIN if(${ofDefinitions}, ['definition', 'all'], ['client']) AS part
    GROUP BY part, client, hash
    HAVING n > 0
    ORDER BY n DESC, client, hash
    LIMIT ${MAX_SLICES}`;
}
