// The third rate: which share of results fed a later call of their session. A result counts where and when it was given,
// whichever call used it.
//
// Serves the rates, the table of tools and the page of result use. Both reads of `calls` are ranges of its key, server and
// time; the inner one reads calls that took something from a result, which are few.

import { z } from 'zod';
import type { Proportion } from '../../../contract/fields.ts';
import { count } from '../../store/row-codec.ts';
import { type CallWindow, inWindows } from '../query/call-window.ts';
import type { CommonFilters, Where } from '../query/filters.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  client: z.string(),
  version: z.string(),
  catalogue: z.string(),
  bucket_start: count,
  results: count,
  used: count,
  pages: count,
  used_pages: count,
});
/** Results with fields that can be recognised, and how many of them fed a later call. */
export type UsedResultsRow = z.infer<typeof Row>;

/** What rows are grouped by besides server and tool; SQL expressions. */
interface UsedResultsKeys {
  readonly client: string;
  readonly version: string;
  readonly catalogue: string;
  readonly bucket: string;
}

const NO_KEYS: UsedResultsKeys = { client: `''`, version: `''`, catalogue: `''`, bucket: '0' };

/** By server and tool only. */
export const TOOL_RESULT_KEYS = NO_KEYS;
/** By where calls came from and the catalogue they met. */
export const ORIGIN_RESULT_KEYS: UsedResultsKeys = {
  ...NO_KEYS,
  client: 'toString(client_name)',
  version: 'toString(server_version)',
  catalogue: 'toString(catalogue_hash)',
};
export const toResultBucketKeys = (bucketSql: string): UsedResultsKeys => ({ ...NO_KEYS, bucket: bucketSql });

/** Groups are as many as tools have clients and versions, or buckets. */
const MAX_ROWS = 50_000;

interface UsedResultsQuery {
  readonly windows: readonly CallWindow[];
  readonly filters: CommonFilters;
  readonly keys: UsedResultsKeys;
  /** Parameters of the keys. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** One row per tool and key. A use after the windows is not known. */
export async function readUsedResults(
  { windows, filters, keys, params = {} }: UsedResultsQuery,
  { store }: QueryContext,
): Promise<UsedResultsRow[]> {
  if (windows.length === 0) return [];
  // The call that uses a result may be of another tool.
  const users = inWindows(windows, { environment: filters.environment });
  const results = inWindows(windows, filters);
  return store.query({
    sql: usedResultsSql(results, users, keys),
    params: { ...users.params, ...results.params, ...params },
    row: Row,
  });
}

/** Of several rows together. */
export function sumResults(rows: readonly UsedResultsRow[]) {
  const sum = (figure: 'results' | 'used' | 'pages' | 'used_pages') =>
    rows.reduce((total, row) => total + row[figure], 0);
  return { results: sum('results'), used: sum('used'), pages: sum('pages'), usedPages: sum('used_pages') };
}

/** The share of the results of several rows that fed a later call. */
export function toResultUse(rows: readonly UsedResultsRow[] = []): Proportion {
  const { used, results } = sumResults(rows);
  return toProportion(used, results);
}

/** The sources of a call stand in the order of those origins that have one, which are lists of five. */
const usedResultsSql = (results: Where, users: Where, keys: UsedResultsKeys): string => `
    WITH used_results AS (
      SELECT server_name, arrayJoin(arrayFilter(
        (id, use) -> use IN ('first', 'first_page'),
        arrayResize(splitByChar(',', argument_sources), length(uses)),
        arrayMap(origin -> origin[5], arrayFilter(origin -> length(origin) = 5, JSONExtract(argument_origins, 'Array(Array(String))'))) AS uses
      ))
      FROM calls
      WHERE ${users.sql} AND argument_sources != ''
    )
    SELECT
      server_name AS server,
      tool_name AS tool,
      ${keys.client} AS client,
      ${keys.version} AS version,
      ${keys.catalogue} AS catalogue,
      ${keys.bucket} AS bucket_start,
      count() AS results,
      countIf((server_name, span_id) IN used_results) AS used,
      countIf(countSubstrings(toString(argument_origins), ',"page"]') > 0 AS is_page) AS pages,
      countIf(is_page AND (server_name, span_id) IN used_results) AS used_pages
    FROM calls
    WHERE ${results.sql} AND result_fields != ''
    GROUP BY server, tool, client, version, catalogue, bucket_start
    ORDER BY results DESC
    LIMIT ${MAX_ROWS}`;
