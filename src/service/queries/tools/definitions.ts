// Every definition that servers listed, by version. Used for the versions on a tool page, advice, and
// changes. The tables have no retention limit and one row per tool, version and environment, so a full read
// of a server is cheap.
//
// Serves the tool page, the changes on the overview, and advice. The key of `tools` is server, tool and
// definition.

import { z } from 'zod';
import { passesFilter } from '../../../contract/filter-value.ts';
import { listReferrals, type ToolReferral } from '../../../core/advice/planned-fallback.ts';
import type { ToolDefinition } from '../../../core/model/catalogue.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { allOf, type CommonFilters, whereFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { type ToolIdentity, toToolKey } from '../query/tool-identity.ts';
import { DEFINITION_HASH_SQL, type Listing, readListings } from './listings.ts';

const TextRow = z.object({ server: z.string(), tool: z.string(), hash: z.string(), definition: z.string() });

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
  context: Pick<QueryContext, 'store'>,
): Promise<ListedDefinition[]> {
  const [listings, texts] = await Promise.all([
    readListings({ server, environment }, context),
    readTexts({ server, tool: name }, context),
  ]);
  const wanted = listings.filter(({ tool }) => passesFilter(name, tool));
  const currentUs = findCurrentStarts(wanted);
  const definitions = groupBy(wanted, (listing) => toKey(listing, listing.hash));
  return [...definitions]
    .map(([key, own]) => toListedDefinition(own, { text: texts.get(key) ?? '', currentUs }))
    .filter((definition) => definition !== undefined)
    .sort(compareDefinitions);
}

const toKey = (tool: ToolIdentity, hash: string): string => `${toToolKey(tool)}\n${hash}`;

async function readTexts(
  filters: Pick<CommonFilters, 'server' | 'tool'>,
  { store }: Pick<QueryContext, 'store'>,
): Promise<ReadonlyMap<string, string>> {
  const { sql, params } = allOf(whereFilters('tools', filters));
  const rows = await store.query({
    sql: `
    SELECT server_name AS server, tool_name AS tool, ${DEFINITION_HASH_SQL} AS hash, any(tools.definition) AS definition
    FROM tools
    WHERE ${sql}
    GROUP BY server, tool, definition_hash`,
    params,
    row: TextRow,
  });
  return new Map(rows.map(({ definition, hash, ...tool }) => [toKey(tool, hash), definition]));
}

const isInUse = ({ usedIn, isNewest }: Listing): boolean => usedIn.length > 0 || isNewest;

const toPlaceKey = (listing: Listing): string => `${toToolKey(listing)}\n${listing.environment}`;

/** When the latest of the definitions in use was first seen, by tool and environment. */
function findCurrentStarts(listings: readonly Listing[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const listing of listings.filter(isInUse)) {
    const key = toPlaceKey(listing);
    starts.set(key, Math.max(starts.get(key) ?? 0, listing.firstUs));
  }
  return starts;
}

function compareDefinitions(one: ListedDefinition, other: ListedDefinition): number {
  return (
    compareTexts(one.server, other.server) ||
    one.firstUs - other.firstUs ||
    compareTexts(one.tool, other.tool) ||
    compareTexts(one.hash, other.hash)
  );
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Orders versions numerically: `1.9.2` before `1.10.0`. */
const VERSION_COLLATOR = new Intl.Collator('en', { numeric: true });

const Definition = z.looseObject({ name: z.string() });

/** @param listings of one definition, one per environment */
function toListedDefinition(
  listings: readonly Listing[],
  { text, currentUs }: { readonly text: string; readonly currentUs: ReadonlyMap<string, number> },
): ListedDefinition | undefined {
  const [first] = listings;
  if (first === undefined) return undefined;
  const json = parseObject(text);
  const isDefinition = Definition.safeParse(json).success;
  const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();
  return {
    ...{ server: first.server, tool: first.tool, hash: first.hash, characters: first.characters },
    // Ingest validated it as a definition; a schema may be anything, and its readers are tolerant.
    definition: isDefinition ? (json as unknown as ToolDefinition) : undefined,
    json,
    firstUs: Math.min(...listings.map(({ firstUs }) => firstUs)),
    lastUs: Math.max(...listings.map(({ lastUs }) => lastUs)),
    listings: listings.reduce((sum, { ownListings }) => sum + ownListings, 0),
    serverVersions: distinct(listings.flatMap(({ versions }) => versions)).sort(VERSION_COLLATOR.compare),
    environments: distinct(listings.map(({ environment }) => environment)),
    isCurrent: listings.some((one) => isInUse(one) && one.firstUs === currentUs.get(toPlaceKey(one))),
    isInUse: listings.some(isInUse),
    catalogues: distinct(listings.flatMap(({ usedIn }) => usedIn)),
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
