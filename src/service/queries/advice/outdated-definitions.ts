// Calls that met a definition other than the current one. Advice is about current definitions, so these calls
// are excluded from its evidence. Calls of a definition that is no longer in use, made after a newer one was
// listed, are evidence of their own.
//
// Serves advice on the tools and tool pages. The keys of `catalogue_tools` and `calls` both begin with the
// server.

import { z } from 'zod';
import type { FilterValue } from '../../../contract/filter-value.ts';
import type { VersionUse } from '../../../core/advice/tool-evidence.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { allOf, rawSql, type Where, whereFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { toToolKey } from '../query/tool-identity.ts';
import type { ListedDefinition } from '../tools/definitions.ts';

const CatalogueRow = z.object({
  server: z.string(),
  catalogue: z.string(),
  tool: z.string(),
  hash: z.string(),
  first_us: count,
  last_us: count,
  listed_in: z.array(z.string()),
});
type CatalogueRow = z.infer<typeof CatalogueRow>;

/** A definition in a catalogue that is not the current one of its tool. */
interface OutdatedDefinition {
  readonly server: string;
  readonly tool: string;
  readonly catalogue: string;
  readonly hash: string;
  /** In use concurrently with the current one, so its calls are not stale. */
  readonly isInUse: boolean;
  /** Calls from this time on are stale, in epoch microseconds; 0 if unknown. */
  readonly staleFromUs: number;
}

/**
 * Maximum number of catalogue and tool pairs, and of characters in their names: they are part of the
 * statement, whose length is limited. Beyond it the oldest are treated as current.
 */
const MAX_OUTDATED = 1_000;
const MAX_CHARACTERS = 60_000;

/** Interval at which a running process sends its catalogue. */
const LISTING_INTERVAL_US = 3_600_000_000;

/** Outdated definitions, from the catalogues that servers listed. */
export async function readOutdatedDefinitions(
  definitions: readonly ListedDefinition[],
  server: FilterValue | undefined,
  { store }: QueryContext,
): Promise<readonly OutdatedDefinition[]> {
  const isOutdated = definitions.some(({ isCurrent }) => !isCurrent);
  if (!isOutdated) return [];
  const where = allOf(whereFilters('catalogue_tools', { server }));
  const rows = await store.query({
    sql: `
    SELECT
      server_name AS server,
      catalogue_hash AS catalogue,
      tool_name AS tool,
      leftPad(lower(hex(any(definition_hash))), 16, '0') AS hash,
      toUnixTimestamp64Micro(min(first_listed)) AS first_us,
      toUnixTimestamp64Micro(max(last_listed)) AS last_us,
      arrayDistinct(arrayFlatten(groupArray(catalogue_tools.environments))) AS listed_in
    FROM catalogue_tools
    WHERE ${where.sql}
    GROUP BY server, catalogue, tool
    ORDER BY first_us DESC`,
    params: where.params,
    row: CatalogueRow,
  });
  const keyOf = (one: { readonly server: string; readonly tool: string; readonly hash: string }) =>
    `${one.server}\n${one.tool}\n${one.hash}`;
  const current = new Set(definitions.filter(({ isCurrent }) => isCurrent).map(keyOf));
  const inUse = new Set(definitions.filter(({ isInUse }) => isInUse).map(keyOf));
  const byServer = groupBy(rows, ({ server }) => server);
  return takeWithinLength(rows.filter((row) => !current.has(keyOf(row))).slice(0, MAX_OUTDATED)).map(
    (row) => ({
      server: row.server,
      tool: row.tool,
      catalogue: row.catalogue,
      hash: row.hash,
      isInUse: inUse.has(keyOf(row)),
      staleFromUs: toStaleFromUs(row, byServer.get(row.server) ?? []),
    }),
  );
}

/** The first rows whose names fit into a statement. */
function takeWithinLength(rows: readonly CatalogueRow[]): readonly CatalogueRow[] {
  let characters = 0;
  const end = rows.findIndex(({ server, catalogue, tool }) => {
    characters += server.length + catalogue.length + tool.length;
    return characters > MAX_CHARACTERS;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/**
 * The time of the first later catalogue of the environment in which the tool has another definition or is
 * missing. If the definition was still listed concurrently with that catalogue: an hour after its last
 * listing, because its process may have run that long.
 *
 * @param rows the rows of its server
 */
function toStaleFromUs(row: CatalogueRow, rows: readonly CatalogueRow[]): number {
  const alike = rows.filter(({ tool, hash }) => tool === row.tool && hash === row.hash);
  const same = new Set(alike.map(({ catalogue }) => catalogue));
  const later = rows
    .filter(
      ({ catalogue, first_us, listed_in }) =>
        !same.has(catalogue) &&
        first_us > row.first_us &&
        listed_in.some((environment) => row.listed_in.includes(environment)),
    )
    .map(({ first_us }) => first_us);
  if (later.length === 0) return 0;
  const [lateUs, lastUs] = [Math.min(...later), Math.max(...alike.map(({ last_us }) => last_us))];
  return lastUs < lateUs ? lateUs : lastUs + LISTING_INTERVAL_US;
}

/** Condition on `calls`: the call met a current definition, or its definition is unknown. */
export function metCurrentDefinition(
  outdated: readonly OutdatedDefinition[],
  definitions: readonly ListedDefinition[],
): Where {
  if (outdated.length === 0) return rawSql('');
  // Calls without a catalogue: those made before the current definition was first listed met another
  // definition.
  const byTool = groupBy(definitions, toToolKey);
  const replaced = definitions
    .filter(
      (listed) =>
        listed.isCurrent && byTool.get(toToolKey(listed))?.some((other) => other.firstUs < listed.firstUs),
    )
    .slice(0, MAX_OUTDATED);
  return {
    sql: `(server_name, toString(catalogue_hash), tool_name) NOT IN (
          SELECT one.1, one.2, one.3
          FROM (SELECT arrayJoin(arrayZip({outdated_servers:Array(String)}, {outdated_catalogues:Array(String)}, {outdated_tools:Array(String)})) AS one))
        AND NOT (catalogue_hash = '' AND toUnixTimestamp64Micro(started_at) < transform(
          concat(server_name, '\\n', tool_name), {replaced_tools:Array(String)}, {replaced_us:Array(Int64)}, toInt64(0)))`,
    params: {
      ...toArrayParams(outdated),
      replaced_tools:
        replaced.length === 0 ? ['\n'] : replaced.map(({ server, tool }) => toToolKey({ server, tool })),
      replaced_us: replaced.length === 0 ? [0] : replaced.map(({ firstUs }) => firstUs),
    },
  };
}

function toArrayParams(outdated: readonly OutdatedDefinition[]) {
  return {
    outdated_servers: outdated.map(({ server }) => server),
    outdated_catalogues: outdated.map(({ catalogue }) => catalogue),
    outdated_tools: outdated.map(({ tool }) => tool),
  };
}

const UseRow = z.object({
  server: z.string(),
  tool: z.string(),
  hash: z.string(),
  server_version: z.string(),
  n: count,
  stale: count,
  last_us: count,
  clients: z.array(z.string()),
  stale_clients: z.array(z.string()),
});

/**
 * Clients that called definitions no longer in use.
 *
 * @param where the calls of the windows, current or not
 * @returns by server and tool
 */
export async function readStaleUse(
  options: { readonly where: Where; readonly outdated: readonly OutdatedDefinition[] },
  { store }: QueryContext,
): Promise<(server: string, tool: string) => VersionUse[]> {
  const { where } = options;
  const outdated = options.outdated.filter(({ isInUse }) => !isInUse);
  if (outdated.length === 0) return () => [];
  const rows = await store.query({
    sql: staleSql(where.sql),
    params: {
      ...where.params,
      ...toArrayParams(outdated),
      outdated_hashes: outdated.map(({ hash }) => hash),
      outdated_us: outdated.map(({ staleFromUs }) => staleFromUs),
    },
    row: UseRow,
  });
  return (server, tool) => rows.filter((row) => row.server === server && row.tool === tool).map(toVersionUse);
}

function toVersionUse(row: z.infer<typeof UseRow>): VersionUse {
  return {
    definitionHash: row.hash,
    serverVersion: row.server_version,
    current: false,
    calls: row.n,
    staleCalls: row.stale,
    lastCalledAtMs: Math.floor(row.last_us / 1_000),
    clients: row.stale > 0 ? row.stale_clients : row.clients,
  };
}

const staleSql = (where: string) => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      hash,
      max(toString(server_version)) AS server_version,
      count() AS n,
      countIf(is_stale) AS stale,
      toUnixTimestamp64Micro(max(started_at)) AS last_us,
      arraySort(groupUniqArrayIf(20)(trimRight(concat(toString(client_name), ' ', client_version)), client_name != '')) AS clients,
      arraySort(groupUniqArrayIf(20)(trimRight(concat(toString(client_name), ' ', client_version)), is_stale AND client_name != '')) AS stale_clients
    FROM (
      SELECT *, stale_us > 0 AND toUnixTimestamp64Micro(started_at) > stale_us AS is_stale
      FROM (
        SELECT server_name, toString(tool_name) AS tool_name, toString(calls.catalogue_hash) AS catalogue_hash, started_at, client_name, client_version,
          calls.server_version AS server_version
        FROM calls
        WHERE ${where}
      ) AS called
      INNER JOIN (
        SELECT one.1 AS server_name, one.2 AS catalogue_hash, one.3 AS tool_name, one.4 AS hash, one.5 AS stale_us
        FROM (
          SELECT arrayJoin(arrayZip({outdated_servers:Array(String)}, {outdated_catalogues:Array(String)}, {outdated_tools:Array(String)},
            {outdated_hashes:Array(String)}, {outdated_us:Array(Int64)})) AS one
        )
      ) AS outdated USING (server_name, catalogue_hash, tool_name)
    )
    GROUP BY server, tool, hash`;
