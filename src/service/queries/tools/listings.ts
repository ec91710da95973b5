// What servers listed: each definition of a tool by environment, when it was listed, and the catalogues in use that have
// it. Never-called tools, the versions on a tool page, advice and changes are derived from the same rows, without
// their texts; two simple statements, because the engine plans a join of both tables for longer than it runs it.
//
// Serves the overview, the tools page and the tool page. The keys of both tables start with the server.

import { z } from 'zod';
import { passesFilter } from '../../../contract/filter-value.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { allOf, type CommonFilters, whereFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { findCataloguesInUse, toDefinitionKey } from './catalogues-in-use.ts';

/** 16 hex digits. */
export const DEFINITION_HASH_SQL = `leftPad(lower(hex(definition_hash)), 16, '0')`;

const ListedRow = z.object({
  server: z.string(),
  listed_in: z.string(),
  tool: z.string(),
  hash: z.string(),
  characters: count,
  first_us: count,
  last_us: count,
  all_listings: count,
  own_listings: count,
  server_versions: z.array(z.string()),
});

const CatalogueRow = z.object({
  server: z.string(),
  listed_in: z.string(),
  catalogue: z.string(),
  first_us: count,
  last_us: count,
  offered: z.array(z.tuple([z.string(), z.string()])),
});

/** One definition of a tool in one environment of a server. */
export interface Listing {
  readonly server: string;
  readonly environment: string;
  readonly tool: string;
  /** 16 hex digits. */
  readonly hash: string;
  readonly characters: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly listings: number;
  /** The same, but 0 in all but one environment for rows of several environments, so that a sum counts them once. */
  readonly ownListings: number;
  readonly versions: readonly string[];
  /** Catalogues in use that have it; empty if there are none or the listings named none. */
  readonly usedIn: readonly string[];
  /** Whether it is in the newest listing of its server and environment. */
  readonly isNewest: boolean;
}

/** Of the filtered server and environment. */
export async function readListings(
  { server, environment }: Pick<CommonFilters, 'server' | 'environment'>,
  { store }: Pick<QueryContext, 'store'>,
): Promise<Listing[]> {
  const { sql, params } = allOf(whereFilters('tools', { server }));
  const [listed, catalogues] = await Promise.all([
    store.query({ sql: listedSql(sql), params, row: ListedRow }),
    store.query({ sql: cataloguesSql(sql), params, row: CatalogueRow }),
  ]);
  const rows = listed.map(toTimes);
  const usedIn = findCataloguesInUse(rows, catalogues.map(toTimes));
  const wanted = rows.filter((row) => passesFilter(environment, row.environment));
  const places = groupBy(wanted, (row) => `${row.server}\n${row.environment}`);
  return [...places.values()].flatMap((own) => {
    const newestUs = own.reduce((newest, { lastUs }) => Math.max(newest, lastUs), 0);
    return own.map(({ all_listings, own_listings, server_versions, ...row }) => ({
      ...row,
      listings: all_listings,
      ownListings: own_listings,
      versions: server_versions,
      usedIn: usedIn.get(toDefinitionKey(row)) ?? [],
      isNewest: row.lastUs === newestUs,
    }));
  });
}

interface Times {
  readonly listed_in: string;
  readonly first_us: number;
  readonly last_us: number;
}

function toTimes<T extends Times>({ listed_in, first_us, last_us, ...row }: T) {
  return { ...row, environment: listed_in, firstUs: first_us, lastUs: last_us };
}

/** Older rows name several environments, newer ones a single one. */
const listedSql = (where: string): string => `
    SELECT
      server_name AS server,
      environment_in AS listed_in,
      tool_name AS tool,
      ${DEFINITION_HASH_SQL} AS hash,
      any(lengthUTF8(definition)) AS characters,
      toUnixTimestamp64Micro(min(first_seen)) AS first_us,
      toUnixTimestamp64Micro(max(last_listed)) AS last_us,
      sum(listings) AS all_listings,
      sumIf(listings, environment_in = environments[1]) AS own_listings,
      groupUniqArrayArray(100)(tools.versions) AS server_versions
    FROM tools
    ARRAY JOIN environments AS environment_in
    WHERE ${where}
    GROUP BY server, listed_in, tool, definition_hash
    ORDER BY server, listed_in, tool, hash`;

const cataloguesSql = (where: string): string => `
    SELECT
      server_name AS server,
      environment_in AS listed_in,
      catalogue_hash AS catalogue,
      toUnixTimestamp64Micro(min(first_listed)) AS first_us,
      toUnixTimestamp64Micro(max(last_listed)) AS last_us,
      groupUniqArray((toString(tool_name), ${DEFINITION_HASH_SQL})) AS offered
    FROM catalogue_tools
    ARRAY JOIN environments AS environment_in
    WHERE ${where}
    GROUP BY server, listed_in, catalogue`;
