// The panel of never-called tools: in a catalogue in use of their server, and never called since the server
// is known. Both tables have no retention limit and one row per tool (and version or environment), so a full
// read is cheap. Only server, environment and tool filter this query, not range or client. How often each was
// offered covers the days whose single calls are retained.

import { z } from 'zod';
import { getSingleValue, passesFilter } from '../../../contract/filter-value.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ListQuery } from '../../../contract/query.ts';
import type { NeverCalledResponse, NeverCalledTool } from '../../../contract/tools.ts';
import { estimateTokens } from '../../../core/advice/definition-tokens.ts';
import { findSimilarTool } from '../../../core/advice/description-words.ts';
import type { ToolDefinition } from '../../../core/model/catalogue.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { compareElements, whereFilter } from '../query/filter-condition.ts';
import { allOf, type CommonFilters, pickFilters, type Where, whereFilters } from '../query/filters.ts';
import { DEFAULT_PAGE_ROWS, toListPage } from '../query/list-page.ts';
import type { QueryContext } from '../query/query-context.ts';
import { toToolKey } from '../query/tool-identity.ts';
import { type ListedDefinition, listCurrentTools, readDefinitions } from './definitions.ts';
import { readListings } from './listings.ts';
import { readOfferedTools } from './offered-tools.ts';
import { type ToolInUse, toToolsInUse } from './tools-in-use.ts';

type CatalogueFilters = Pick<CommonFilters, 'server' | 'environment' | 'tool'>;

const FirstCallRow = z.object({ server: z.string(), tool: z.string(), first_call_us: count });

export interface CatalogueTool extends ToolInUse {
  /** 0 if there is none. */
  readonly first_call_us: number;
}

const ServerRow = z.object({ server: z.string() });

/** Tools that were never called, most expensive to list first; one page. */
export async function getNeverCalled(
  query: ResolvedQuery<ListQuery>,
  context: QueryContext,
): Promise<NeverCalledResponse> {
  const filters = pickFilters('tool_usage', query);
  const { server, environment, tool: requestedTool } = filters;
  const [catalogue, unknown, offered, definitions] = await Promise.all([
    // All tools of those servers, because a never-called tool may resemble a called one.
    readCatalogue({ server, environment }, context),
    context.store.query({ ...unknownCataloguesQuery(filters), row: ServerRow }),
    readOfferedTools(filters, context),
    readDefinitions({ server, environment }, context),
  ]);
  const offeredOf = groupBy(offered, toToolKey);
  const findSimilar = createSimilarToolFinder(catalogue, definitions);
  const uncalled = catalogue
    .filter(({ tool, first_call_us }) => first_call_us === 0 && passesFilter(requestedTool, tool))
    .sort((a, b) => b.characters - a.characters);
  const page = toListPage(uncalled, { kind: 'never-called', query, range: query.range });
  const tools = page.rows.map((row, at): NeverCalledTool => {
    const [own] = offeredOf.get(toToolKey(row)) ?? [];
    return {
      server: row.server,
      tool: row.tool,
      firstSeenAt: formatIso(row.first_us),
      lastListedAt: formatIso(row.last_us),
      listings: Math.max(row.listed, own?.listings ?? 0),
      sessions: own?.sessions ?? 0,
      definitionTokens: estimateTokens(row.characters),
      similarTo: (at < MAX_COMPARED && findSimilar(row)) || null,
    };
  });
  return { tools, unknownCatalogues: unknown.map(({ server }) => server), ...page.next };
}

/** Tools per page that are compared; each is compared with all tools of its server. */
const MAX_COMPARED = 200;

/** Finds the most similar tool on the same server; among equally similar ones, one that is called. */
function createSimilarToolFinder(
  catalogue: readonly CatalogueTool[],
  definitions: readonly ListedDefinition[],
) {
  const listedOf = groupBy(definitions, ({ server }) => server);
  const called = new Set(catalogue.filter(({ first_call_us }) => first_call_us > 0).map(toToolKey));
  const offered = new Map<string, ToolDefinition[]>();
  const calledFirst = (server: string): ToolDefinition[] => {
    const isCalled = ({ name }: ToolDefinition) => Number(called.has(toToolKey({ server, tool: name })));
    const tools = listCurrentTools(listedOf.get(server) ?? [], server).sort(
      (one, other) => isCalled(other) - isCalled(one),
    );
    offered.set(server, tools);
    return tools;
  };
  return ({ server, tool }: CatalogueTool): string | undefined => {
    const tools = offered.get(server) ?? calledFirst(server);
    const own = tools.find(({ name }) => name === tool);
    return own && findSimilarTool(own, tools);
  };
}

/**
 * The tools in use per server and environment; tools in no catalogue in use are retired and left out.
 */
export async function readCatalogue(
  filters: CatalogueFilters,
  context: QueryContext,
): Promise<CatalogueTool[]> {
  const { server, environment, tool: name } = filters;
  const called = allOf(whereFilters('tool_usage', { server, environment }));
  // Separate reads, because the catalogue changes with listings only, and every call changes the other table.
  const [listings, firstCalls] = await Promise.all([
    readListings({ server, environment }, context),
    context.store.query({ sql: firstCallsSql(called.sql), params: called.params, row: FirstCallRow }),
  ]);
  const firstCallOf = new Map(firstCalls.map((row) => [toToolKey(row), row.first_call_us]));
  return toToolsInUse(listings, getSingleValue(environment) !== undefined)
    .filter(({ tool }) => passesFilter(name, tool))
    .map((row) => ({ ...row, first_call_us: firstCallOf.get(toToolKey(row)) ?? 0 }));
}

/** Only of listed names: agents make up others. */
const firstCallsSql = (called: string): string => `
    SELECT server_name AS server, tool_name AS tool, toUnixTimestamp64Micro(min(first_call)) AS first_call_us
    FROM tool_usage
    WHERE ${called} AND (server_name, tool_name) IN (SELECT server_name, tool_name FROM tools)
    GROUP BY server, tool`;

/** Servers whose tools were called but never listed; nothing is known of their catalogues. */
function unknownCataloguesQuery(filters: CatalogueFilters): { sql: string; params: Where['params'] } {
  const { server, environment } = filters;
  const called = allOf(whereFilters('tool_usage', { server, environment }));
  const listed = allOf(whereFilter('environment', environment, compareElements('environments')));
  return {
    sql: `
      SELECT DISTINCT server_name AS server
      FROM tool_usage
      WHERE ${called.sql} AND server_name NOT IN (SELECT server_name FROM tools WHERE ${listed.sql})
      ORDER BY server
      LIMIT ${DEFAULT_PAGE_ROWS}`,
    params: { ...called.params, ...listed.params },
  };
}
