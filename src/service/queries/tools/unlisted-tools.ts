// Tabs of the tools page without call rows: removed tools, and names that agents requested and the server
// never listed.
//
// Serves the tools page. The key of `failed_calls` is server, tool and time; that of `tool_usage` is server,
// environment and tool.

import { z } from 'zod';
import type { FilterValue } from '../../../contract/filter-value.ts';
import type { ToolColumnsResponse } from '../../../contract/tool.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { findRemovedTools } from '../overview/catalogue-changes.ts';
import { type FailureSource, toFailureSource } from '../query/call-source.ts';
import { clipToRetention } from '../query/call-window.ts';
import { allOf, type CallSelection, type CommonFilters, rawSql, whereFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { type ToolIdentity, toToolKey } from '../query/tool-identity.ts';
import { type ListedDefinition, readDefinitions } from './definitions.ts';
import { findNearestName } from './nearest-name.ts';

const UsageRow = z.object({ server: z.string(), tool: z.string(), last_us: count });

interface RemovedToolsOptions {
  /** Calls of a tool in the range. */
  readonly callsOf: (listed: ListedDefinition) => number;
  /** Undefined means all. */
  readonly environment: FilterValue | undefined;
}

/** Tools missing from the newest listings, last listed first. */
export async function readRemovedTools(
  definitions: readonly ListedDefinition[],
  { callsOf, environment }: RemovedToolsOptions,
  { store }: QueryContext,
): Promise<ToolColumnsResponse['removed']> {
  const removed = findRemovedTools(definitions).sort((one, other) => other.lastUs - one.lastUs);
  if (removed.length === 0) return [];
  const where = allOf(whereFilters('tool_usage', { environment }), {
    sql: 'tool_name IN {removed:Array(String)}',
    params: { removed: removed.map(({ tool }) => tool) },
  });
  const usage = await store.query({
    sql: `
    SELECT server_name AS server, tool_name AS tool, toUnixTimestamp64Micro(max(last_call)) AS last_us
    FROM tool_usage
    WHERE ${where.sql}
    GROUP BY server, tool`,
    params: where.params,
    row: UsageRow,
  });
  const usageOf = groupBy(usage, toToolKey);
  const definitionsOf = groupBy(definitions, toToolKey);
  return removed.map((listed) => {
    const [used] = usageOf.get(toToolKey(listed)) ?? [];
    return {
      server: listed.server,
      tool: listed.tool,
      firstSeenAt: formatIso(toFirstSeenUs(definitionsOf.get(toToolKey(listed)) ?? [])),
      lastListedAt: formatIso(listed.lastUs),
      calls: callsOf(listed),
      lastCalledAt: used === undefined ? null : formatIso(used.last_us),
    };
  });
}

function toFirstSeenUs(own: readonly ListedDefinition[]): number {
  return Math.min(...own.map(({ firstUs }) => firstUs));
}

const MissingRow = z.object({
  server: z.string(),
  tool: z.string(),
  n: count,
  session_count: count,
  clients: z.array(z.string()),
  last_us: count,
});

const MAX_MISSING = 200;

/** Names refused as unknown that are in no listing of their server. */
export async function readMissingTools(
  { range, filters }: CallSelection<CommonFilters>,
  context: QueryContext,
): Promise<ToolColumnsResponse['missing']> {
  const kept = clipToRetention(range, context);
  if (kept === undefined) return [];
  const source = toFailureSource({ range: kept, filters });
  const where = allOf(source.where, rawSql(`outcome = 'unknown_tool' AND tool_name != ''`));
  const [rows, listed] = await Promise.all([
    context.store.query({ sql: missingSql(source.table, where.sql), params: where.params, row: MissingRow }),
    readDefinitions({ server: filters.server }, context),
  ]);
  return findUnlistedTools(rows, listed).map(({ row, nearest }) => ({
    server: row.server,
    tool: row.tool,
    calls: row.n,
    sessions: row.session_count,
    clients: row.clients,
    lastCalledAt: formatIso(row.last_us),
    nearest: nearest ?? null,
  }));
}

/** The rows of tools that are in no listing of their server, with the most similar listed name. */
export function findUnlistedTools<Row extends ToolIdentity>(
  rows: readonly Row[],
  listed: readonly ListedDefinition[],
): { readonly row: Row; readonly nearest: string | undefined }[] {
  const isListed = new Set(listed.map(toToolKey));
  const current = groupBy(
    listed.filter(({ isCurrent }) => isCurrent),
    ({ server }) => server,
  );
  return rows
    .filter((row) => !isListed.has(toToolKey(row)))
    .map((row) => {
      const names = (current.get(row.server) ?? []).map(({ tool }) => tool);
      return { row, nearest: findNearestName(row.tool, names) };
    });
}

const missingSql = (table: FailureSource['table'], where: string) => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      count() AS n,
      uniqCombinedIf(cityHash64(session_source, session_id), session_id != '') AS session_count,
      arraySort(groupUniqArrayIf(20)(toString(client_name), client_name != '')) AS clients,
      toUnixTimestamp64Micro(max(started_at)) AS last_us
    FROM ${table}
    WHERE ${where}
    GROUP BY server, tool
    ORDER BY n DESC, server, tool
    LIMIT ${MAX_MISSING}`;
