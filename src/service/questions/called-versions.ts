// How often each version of a server was called, tool by tool, among the newest calls. A fault that a version without a new
// definition mended is known by this alone.

import { z } from 'zod';
import type { ListedDefinition } from './definitions.ts';
import type { Where } from './filters.ts';
import type { Asking } from './ports.ts';
import { count } from './row-values.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  version: z.string(),
  calls: count,
  first_us: count,
});

/** Calls of one tool that one version answered. */
export interface CalledVersion {
  readonly server: string;
  readonly tool: string;
  readonly version: string;
  readonly calls: number;
  /** Of the first of them, in epoch milliseconds. */
  readonly firstMs: number;
}

/** @returns in the order of first calls; nothing where every definition was listed by one version alone */
export async function readCalledVersions(
  { where, definitions }: { readonly where: Where; readonly definitions: readonly ListedDefinition[] },
  { store }: Asking,
): Promise<CalledVersion[]> {
  const isSeveral = definitions.some(
    ({ isCurrent, serverVersions }) => isCurrent && serverVersions.length > 1,
  );
  if (!isSeveral) return [];
  const rows = await store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      toString(server_version) AS version,
      count() AS calls,
      toUnixTimestamp64Micro(min(started_at)) AS first_us
    FROM calls
    WHERE ${where.sql} AND server_version != ''
    GROUP BY server, tool, version
    ORDER BY first_us`,
    params: where.params,
    row: Row,
  });
  return rows.map(({ first_us, ...row }) => ({ ...row, firstMs: first_us / 1_000 }));
}
