// How often a tool was actually offered: the `tools/list` responses whose catalogue had it, and in how many
// sessions. A server sends its definitions once an hour, but every response carries the hash of its
// catalogue.
//
// Whole days come from their rollup, the edges of the retained range from the calls: one row per catalogue
// either way.

import { z } from 'zod';
import { count } from '../../store/row-codec.ts';
import { clipToRetention } from '../query/call-window.ts';
import { IN_DAYS, outsideDays, toWholeDays } from '../query/day-split.ts';
import { allOf, type CommonFilters, rawSql, whereFilters } from '../query/filters.ts';
import { inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY_HASH } from '../query/session-identity.ts';

const DAY_MS = 86_400_000;

const Row = z.object({ server: z.string(), tool: z.string(), listings: count, sessions: count });
export type OfferedTool = z.infer<typeof Row>;

/** Tools offered within the retention of single calls, and never called. */
export async function readOfferedTools(
  { server, environment, tool: name }: Pick<CommonFilters, 'server' | 'environment' | 'tool'>,
  context: QueryContext,
): Promise<OfferedTool[]> {
  const { nowMs, rawDays, store } = context;
  const range = clipToRetention({ fromMs: nowMs - rawDays * DAY_MS, toMs: nowMs + DAY_MS }, context);
  if (range === undefined) return [];
  const days = toWholeDays(range) ?? { fromMs: range.toMs, toMs: range.toMs };
  const names = whereFilters('listing_days', { server, environment });
  const conditions = allOf(
    inRange('started_at', range),
    outsideDays('started_at'),
    rawSql(`side = 'server' AND method = 'tools/list' AND catalogue_hash != ''`),
    names,
  );
  const tool = allOf(whereFilters('catalogue_tools', { server, tool: name }));
  const called = allOf(names);
  return store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      sum(listed) AS listings,
      uniqCombinedMerge(session_state) AS sessions
    FROM (
      SELECT server_name, catalogue, sum(listed_in) AS listed, uniqCombinedMergeState(sessions_in) AS session_state
      FROM (
        SELECT server_name, toString(catalogue_hash) AS catalogue, listings AS listed_in, sessions AS sessions_in
        FROM listing_days
        WHERE ${IN_DAYS} AND ${allOf(names).sql}
        UNION ALL
        SELECT
          server_name,
          toString(catalogue_hash) AS catalogue,
          count() AS listed_in,
          uniqCombinedStateIf(${IDENTITY_HASH}, session_id != '') AS sessions_in
        FROM calls
        WHERE ${conditions.sql}
        GROUP BY server_name, catalogue
      )
      GROUP BY server_name, catalogue
    ) AS answer
    INNER JOIN (
      SELECT DISTINCT server_name, catalogue_hash AS catalogue, tool_name
      FROM catalogue_tools
      WHERE ${tool.sql}
        AND (server_name, tool_name) NOT IN (SELECT server_name, tool_name FROM tool_usage WHERE ${called.sql})
    ) AS offered USING (server_name, catalogue)
    GROUP BY server, tool
    ORDER BY server, tool`,
    params: { ...conditions.params, ...tool.params, first_day_ms: days.fromMs, end_day_ms: days.toMs },
    row: Row,
  });
}
