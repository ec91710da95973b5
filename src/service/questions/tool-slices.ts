// The calls of one tool in three ways: by client, by size of the result, by the definition they met; and all of them. Whole days come
// from the rollups; single calls are read at the edges of the range, and throughout where a filter asks for more than an
// environment. Either way the calls are read once into few groups with states, which the four ways then merge.

import { z } from 'zod';
import { type CountedDays, countedDays, TIMED } from './figures.ts';
import type { Asking } from './ports.ts';
import { count, Percentiles } from './row-values.ts';
import type { AskedFigures } from './tool-figures.ts';

/** Where buckets of result sizes begin, in bytes; `tool_days` has the same. */
export const RESULT_SIZES: readonly number[] = [0, 1_000, 10_000, 100_000, 1_000_000];

const MOST_SLICES = 300;

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
});
/** With `ok` and `timed` by the names that all figures have. */
export type SliceRow = Omit<z.infer<typeof StoredRow>, 'ok_calls' | 'timed_calls'> & {
  readonly ok: number;
  readonly timed: number;
};

const SizeRow = z.object({
  /** Place in `RESULT_SIZES`. */
  size: count,
  n: count,
  timed: count,
  percentiles: Percentiles,
});
export type SizeRow = z.infer<typeof SizeRow>;

const CatalogueRow = z.object({ catalogue: z.string(), hash: z.string() });

/**
 * @param asked.range of which single calls are kept
 * @returns rows with the most calls first, and sizes from small to large
 */
export async function readSlices(
  { range, filters }: AskedFigures,
  { store }: Asking,
): Promise<{ readonly rows: readonly SliceRow[]; readonly sizes: readonly SizeRow[] }> {
  const counted = countedDays({ range, filters });
  const catalogues = await store.query({
    sql: `
    SELECT catalogue_hash AS catalogue, leftPad(lower(hex(any(definition_hash))), 16, '0') AS hash
    FROM catalogue_tools
    WHERE server_name = {server:String} AND tool_name = {tool:String}
    GROUP BY catalogue`,
    params: { server: filters.server, tool: filters.tool },
    row: CatalogueRow,
  });
  // An empty list of a transform has no type.
  const known = [{ catalogue: '', hash: '' }, ...catalogues];
  const params = {
    ...counted.calls.params,
    catalogues: known.map(({ catalogue }) => catalogue),
    hashes: known.map(({ hash }) => hash),
  };
  const [rows, sizes] = await Promise.all([
    store.query({ sql: slicesSql(counted), params, row: StoredRow }),
    store.query({ sql: sizesSql(counted), params: counted.calls.params, row: SizeRow }),
  ]);
  return {
    rows: rows.map(({ ok_calls, timed_calls, ...row }) => ({ ...row, ok: ok_calls, timed: timed_calls })),
    sizes,
  };
}

const HASH = `transform(toString(catalogue_hash), {catalogues:Array(String)}, {hashes:Array(String)}, '')`;
const FIGURES = 'calls, errors, ok, timed, durations, sessions';

function slicesSql({ calls, days }: CountedDays): string {
  const sources = [
    `
      SELECT arrayJoin(['all', 'client', 'definition']) AS part, if(part = 'client', client_of, '') AS client,
        if(part = 'definition', hash_of, '') AS hash, ${FIGURES}, results
      FROM (
        SELECT
          toString(client_name) AS client_of,
          ${HASH} AS hash_of,
          count() AS calls,
          countIf(fault != 'none') AS errors,
          countIf(outcome = 'ok') AS ok,
          countIf(${TIMED}) AS timed,
          quantilesBFloat16StateIf(0.5, 0.95, 0.99)(duration_us, ${TIMED}) AS durations,
          uniqCombinedStateIf(cityHash64(session_source, session_id), session_id != '') AS sessions,
          quantilesBFloat16StateIf(0.95)(result_bytes, outcome = 'ok' AND result_bytes > 0) AS results
        FROM calls
        WHERE ${calls.sql}
        GROUP BY client_of, hash_of
      )`,
    ...(days === undefined
      ? []
      : [
          `
      SELECT arrayJoin(['all', 'definition']) AS part, '' AS client, if(part = 'definition', ${HASH}, '') AS hash, ${FIGURES}, results
      FROM tool_days
      WHERE ${days}`,
          `
      SELECT 'client' AS part, toString(client_name) AS client, '' AS hash, ${FIGURES},
        arrayReduce('quantilesBFloat16State(0.95)', emptyArrayUInt64()) AS results
      FROM client_days
      WHERE ${days}`,
        ]),
  ];
  return `
    SELECT
      part,
      client,
      hash,
      sum(calls) AS n,
      sum(errors) AS failed,
      sum(ok) AS ok_calls,
      sum(timed) AS timed_calls,
      quantilesBFloat16Merge(0.5, 0.95, 0.99)(durations) AS percentiles,
      uniqCombinedMerge(sessions) AS session_count,
      quantilesBFloat16Merge(0.95)(results)[1] AS result_p95
    FROM (${sources.join('\n      UNION ALL')}
    )
    GROUP BY part, client, hash
    HAVING n > 0
    ORDER BY n DESC, client, hash
    LIMIT ${MOST_SLICES}`;
}

function sizesSql({ calls, days }: CountedDays): string {
  const size = `toUInt8(${RESULT_SIZES.slice(1)
    .map((bytes) => `(result_bytes >= ${bytes})`)
    .join(' + ')})`;
  const whole = `
      UNION ALL
      SELECT sized_calls AS calls, sized_timed AS timed, sized_durations AS durations
      FROM tool_days
      WHERE ${days}`;
  return `
    SELECT one.1 AS size, one.2 AS n, timed_of[size] AS timed,
      if(mapContains(percentiles_of, size), percentiles_of[size], [nan, nan, nan]) AS percentiles
    FROM (
      SELECT sumMap(calls) AS calls_of, sumMap(timed) AS timed_of, quantilesBFloat16MapMerge(0.5, 0.95, 0.99)(durations) AS percentiles_of
      FROM (
        SELECT
          sumMap(map(${size}, toUInt64(1))) AS calls,
          sumMap(map(${size}, toUInt64(${TIMED}))) AS timed,
          quantilesBFloat16MapStateIf(0.5, 0.95, 0.99)(map(${size}, duration_us), ${TIMED}) AS durations
        FROM calls
        WHERE ${calls.sql}${days === undefined ? '' : whole}
      )
    )
    ARRAY JOIN calls_of AS one
    ORDER BY size`;
}
