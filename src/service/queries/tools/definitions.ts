// Every definition that servers listed, by version. Used for the versions on a tool page, advice, and
// changes. The tables have no retention limit and one row per tool, version and environment, so a full read
// of a server is cheap.
//
// Serves the tool page, the changes on the overview, and advice. The key of `tools` is server, tool and
// definition.

import { z } from 'zod';
import { listReferrals, type ToolReferral } from '../../../core/advice/planned-fallback.ts';
import type { ToolDefinition } from '../../../core/model/catalogue.ts';
import { count } from '../../store/row-codec.ts';
import { allOf, type CommonFilters, type Where, whereFilters, whereGiven } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { cataloguesInUseSql } from './catalogues-in-use.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  hash: z.string(),
  definition: z.string(),
  characters: count,
  first_us: count,
  last_us: count,
  listed: count,
  server_versions: z.array(z.string()),
  listed_in: z.array(z.string()),
  is_current: count,
  is_in_use: count,
  used_in: z.array(z.string()),
});

/** One definition of one tool of a server, over all its environments. */
export interface ListedDefinition {
  readonly server: string;
  readonly tool: string;
  /** 16 hex digits. */
  readonly hash: string;
  /** As listed; undefined if the text is not a definition. */
  readonly definition: ToolDefinition | undefined;
  /** The same as a JSON object; empty if it is none. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly characters: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly listings: number;
  /** In numeric order, oldest first. */
  readonly serverVersions: readonly string[];
  readonly environments: readonly string[];
  /** In use, and the latest first seen of those, in at least one environment. */
  readonly isCurrent: boolean;
  /** Whether a catalogue in use has it, in at least one environment. */
  readonly isInUse: boolean;
  /** Hashes of those catalogues; empty if the listings named none. */
  readonly catalogues: readonly string[];
}

/**
 * The definitions of the filtered servers and environments, oldest first.
 */
export async function readDefinitions(
  { server, environment, tool: name }: Pick<CommonFilters, 'server' | 'environment' | 'tool'>,
  { store }: QueryContext,
): Promise<ListedDefinition[]> {
  const where = allOf(whereFilters('tools', { server }), isListedIn(environment));
  const tool = whereFilters('tools', { tool: name });
  const rows = await store.query({
    sql: definitionsSql(where, tool),
    params: { ...where.params, ...tool.params },
    row: Row,
  });
  return rows.map(toListedDefinition);
}

const definitionsSql = (where: Where, tool: Where) => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      leftPad(lower(hex(definition_hash)), 16, '0') AS hash,
      any(text) AS definition,
      lengthUTF8(definition) AS characters,
      min(first_in) AS first_us,
      max(last_in) AS last_us,
      sum(listed_times) AS listed,
      arraySort(arrayDistinct(arrayFlatten(groupArray(versions_in)))) AS server_versions,
      arraySort(groupUniqArray(toString(environment_in))) AS listed_in,
      max(used AND first_in = current_in) AS is_current,
      max(used) AS is_in_use,
      arraySort(arrayDistinct(arrayFlatten(groupArray(used_in_catalogues)))) AS used_in
    FROM (
      SELECT
        listed.*,
        in_use.used_in AS used_in_catalogues,
        notEmpty(used_in_catalogues) OR last_in = newest_in AS used,
        maxIf(first_in, used) OVER (PARTITION BY server_name, environment_in, tool_name) AS current_in
      FROM (
        SELECT
          server_name,
          environment_in,
          tool_name,
          definition_hash,
          any(tools.definition) AS text,
          toUnixTimestamp64Micro(min(first_seen)) AS first_in,
          toUnixTimestamp64Micro(max(last_listed)) AS last_in,
          max(last_in) OVER (PARTITION BY server_name, environment_in) AS newest_in,
          sumIf(listings, environment_in = environments[1]) AS listed_times,
          groupUniqArrayArray(100)(versions) AS versions_in
        FROM tools
        ARRAY JOIN environments AS environment_in
        WHERE ${where.sql}
        GROUP BY server_name, environment_in, tool_name, definition_hash
      ) AS listed
      LEFT JOIN (${cataloguesInUseSql(where.sql)}
      ) AS in_use USING (server_name, environment_in, tool_name, definition_hash)
    )
    WHERE ${allOf(tool).sql}
    GROUP BY server, tool, definition_hash
    ORDER BY server, first_us, tool, hash`;

/** Condition on an environment of a listing, in a statement that names it `environment_in`. */
export const isListedIn = (environment: string | undefined): Where | undefined =>
  whereGiven('environment_in = {environment:String}', { environment });

/** Orders versions numerically: `1.9.2` before `1.10.0`. */
const VERSION_COLLATOR = new Intl.Collator('en', { numeric: true });

const Definition = z.looseObject({ name: z.string() });

function toListedDefinition(row: z.infer<typeof Row>): ListedDefinition {
  const json = parseObject(row.definition);
  const isDefinition = Definition.safeParse(json).success;
  return {
    server: row.server,
    tool: row.tool,
    hash: row.hash,
    // Ingest validated it as a definition; a schema may be anything, and its readers are tolerant.
    definition: isDefinition ? (json as unknown as ToolDefinition) : undefined,
    json,
    characters: row.characters,
    firstUs: row.first_us,
    lastUs: row.last_us,
    listings: row.listed,
    serverVersions: [...row.server_versions].sort(VERSION_COLLATOR.compare),
    environments: row.listed_in,
    isCurrent: row.is_current === 1,
    isInUse: row.is_in_use === 1,
    catalogues: row.used_in,
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return z.record(z.string(), z.unknown()).catch({}).parse(parsed);
  } catch {
    // Not a valid definition; the page shows that it has none.
    return {};
  }
}

/** The tools that a server lists; for a tool with several current definitions, the latest first seen. */
export function listCurrentTools(definitions: readonly ListedDefinition[], server: string): ToolDefinition[] {
  const newest = new Map<string, ListedDefinition>();
  for (const listed of definitions) {
    if (listed.server !== server || !listed.isCurrent) continue;
    const other = newest.get(listed.tool);
    if (other === undefined || other.firstUs <= listed.firstUs) newest.set(listed.tool, listed);
  }
  return [...newest.values()].flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
}

/** Tools of some servers, and others to which their descriptions send agents. */
export function listServerReferrals(
  servers: readonly string[],
  definitions: readonly ListedDefinition[],
): (ToolReferral & { readonly server: string })[] {
  return servers.flatMap((server) =>
    listReferrals(listCurrentTools(definitions, server)).map((referral) => ({ server, ...referral })),
  );
}
