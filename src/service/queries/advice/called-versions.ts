// Calls per server version and tool among the newest calls. Only these show that a version resolved a fault
// without changing the definition.
//
// Serves advice on the tools and tool pages. Reads windows of `calls`, whose key begins with server and time,
// and the versions of `name_sightings`, which are few.

import { z } from 'zod';
import { count } from '../../store/row-codec.ts';
import type { Where } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { ListedDefinition } from '../tools/definitions.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  version: z.string(),
  calls: count,
  first_us: count,
  last_us: count,
});

/** Calls of one tool served by one version. */
export interface CalledVersion {
  readonly server: string;
  readonly tool: string;
  readonly version: string;
  readonly calls: number;
  /** Time of the first call, in epoch milliseconds. */
  readonly firstMs: number;
  /** Time of the last call. */
  readonly lastMs: number;
}

/**
 * @returns in the order in which the versions were first seen; empty where every definition was listed by one
 * version only
 */
export async function readCalledVersions(
  { where, definitions }: { readonly where: Where; readonly definitions: readonly ListedDefinition[] },
  { store }: QueryContext,
): Promise<CalledVersion[]> {
  const isSeveral = definitions.some(
    ({ isCurrent, serverVersions }) => isCurrent && serverVersions.length > 1,
  );
  if (!isSeveral) return [];
  const rows = await store.query({
    sql: orderByFirstSeenSql(`
    SELECT
      server_name AS server,
      tool_name AS tool,
      toString(server_version) AS version,
      count() AS calls,
      toUnixTimestamp64Micro(min(started_at)) AS first_us,
      toUnixTimestamp64Micro(max(started_at)) AS last_us
    FROM calls
    WHERE ${where.sql} AND server_version != ''
    GROUP BY server, tool, version`),
    params: where.params,
    row: Row,
  });
  return rows.map(({ first_us, last_us, ...row }) => ({
    ...row,
    ...{ firstMs: first_us / 1_000, lastMs: last_us / 1_000 },
  }));
}

/**
 * Rows of versions, oldest version first. When two versions run concurrently, the first call in a range may
 * belong to either, so versions are ordered by their first request ever.
 *
 * @param sql a query with the columns `server`, `version` and `first_us`
 */
export const orderByFirstSeenSql = (sql: string): string => `
    SELECT called.*
    FROM (${sql}
    ) AS called
    LEFT JOIN (
      SELECT server_name AS server, toString(name) AS version, min(first_seen) AS sighted_at
      FROM name_sightings
      WHERE part = 'version'
      GROUP BY server, version
    ) AS sighted USING (server, version)
    ORDER BY sighted_at, first_us`;
