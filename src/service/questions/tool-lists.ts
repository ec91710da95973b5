// The tabs of the tools page that are no rows of calls: tools that were taken away, and names that agents asked for and the
// server never listed.

import { z } from 'zod';
import type { TimeRange } from '../../contract/time-range.ts';
import type { ToolColumnsAnswer } from '../../contract/tool.ts';
import { keptRange } from './call-window.ts';
import { type ListedDefinition, readDefinitions } from './definitions.ts';
import { allOf, always, type Filters, whereFilters } from './filters.ts';
import { inRange } from './grain.ts';
import { groupRows, toolKey } from './group-rows.ts';
import { removedTools } from './listed-changes.ts';
import { nearestName } from './nearest-name.ts';
import type { Asking } from './ports.ts';
import { count, toIso } from './row-values.ts';

const UsageRow = z.object({ server: z.string(), tool: z.string(), last_us: count });

interface RemovedFrom {
  /** The calls of a tool in the range. */
  readonly callsOf: (listed: ListedDefinition) => number;
  /** Asked about; of all where it is left out. */
  readonly environment: string | undefined;
}

/**
 * Tools that no newest listing has, last listed first.
 */
export async function readRemoved(
  definitions: readonly ListedDefinition[],
  { callsOf, environment }: RemovedFrom,
  { store }: Asking,
): Promise<ToolColumnsAnswer['removed']> {
  const removed = removedTools(definitions).sort((one, other) => other.lastUs - one.lastUs);
  if (removed.length === 0) return [];
  const where = allOf(whereFilters({ environment }), {
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
  const usageOf = groupRows(usage, toolKey);
  const definitionsOf = groupRows(definitions, toolKey);
  return removed.map((listed) => {
    const [used] = usageOf.get(toolKey(listed)) ?? [];
    return {
      server: listed.server,
      tool: listed.tool,
      firstSeenAt: toIso(firstSeen(definitionsOf.get(toolKey(listed)) ?? [])),
      lastListedAt: toIso(listed.lastUs),
      calls: callsOf(listed),
      lastCalledAt: used === undefined ? null : toIso(used.last_us),
    };
  });
}

function firstSeen(own: readonly ListedDefinition[]): number {
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

const MOST_MISSING = 200;

/** Names refused as unknown that stand in no listing of their server. */
export async function readMissing(
  { range, filters }: { readonly range: TimeRange; readonly filters: Filters },
  asking: Asking,
): Promise<ToolColumnsAnswer['missing']> {
  const kept = keptRange(range, asking);
  if (kept === undefined) return [];
  const where = allOf(
    inRange('started_at', kept),
    always(`outcome = 'unknown_tool' AND tool_name != ''`),
    whereFilters(filters),
  );
  const [rows, listed] = await Promise.all([
    asking.store.query({ sql: missingSql(where.sql), params: where.params, row: MissingRow }),
    readDefinitions({ server: filters.server }, asking),
  ]);
  const isListed = new Set(listed.map(toolKey));
  return rows
    .filter((row) => !isListed.has(toolKey(row)))
    .map((row) => ({
      server: row.server,
      tool: row.tool,
      calls: row.n,
      sessions: row.session_count,
      clients: row.clients,
      lastCalledAt: toIso(row.last_us),
      nearest:
        nearestName(
          row.tool,
          listed
            .filter(({ server, isCurrent }) => isCurrent && server === row.server)
            .map(({ tool }) => tool),
        ) ?? null,
    }));
}

const missingSql = (where: string) => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      count() AS n,
      uniqCombinedIf(cityHash64(session_source, session_id), session_id != '') AS session_count,
      arraySort(groupUniqArrayIf(20)(toString(client_name), client_name != '')) AS clients,
      toUnixTimestamp64Micro(max(started_at)) AS last_us
    FROM failed_calls
    WHERE ${where}
    GROUP BY server, tool
    ORDER BY n DESC, server, tool
    LIMIT ${MOST_MISSING}`;
