// The tools table, and the p50/p95 panel of the overview: one row per called name, including unknown ones.
// The rollups are sorted by server, time and tool, so a range of one server is a few granules, and all stats
// of a row, including sessions, are one merge of states.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ListQuery } from '../../../contract/query.ts';
import type { ToolsResponse } from '../../../contract/tools.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { type CallSource, isKeptSql } from '../query/call-source.ts';
import { chooseToolSource } from '../query/day-split.ts';
import { alignRange } from '../query/grain.ts';
import { MAX_LISTED_ROWS, parseListPosition, toListPage } from '../query/list-page.ts';
import type { QueryContext } from '../query/query-context.ts';
import { listKeptTools, toOtherName, toPercentilesMs } from '../query/row-values.ts';
import { readCallTotals, type ToolTotals } from './call-totals.ts';

const SessionsRow = z.object({ server: z.string(), kept: count, tool: z.string(), session_count: count });

/** Calls, errors and latency per tool, most called first; one page. */
export async function getTools(
  query: ResolvedQuery<ListQuery>,
  context: QueryContext,
): Promise<ToolsResponse> {
  const range = parseListPosition('tools', query)?.range ?? alignRange(query.range, context);
  const source = await chooseToolSource({ range, filters: query }, context);
  const [{ tools: rows }, sessions] = await Promise.all([
    readCallTotals({ range, filters: query }, context),
    context.store.query({
      sql: sessionsSql(source),
      params: source.where.params,
      row: SessionsRow,
      callRange: range,
    }),
  ]);
  const key = ({ server, kept, tool }: Pick<ToolTotals, 'server' | 'kept' | 'tool'>): string =>
    JSON.stringify([server, kept, tool]);
  const sessionsOf = new Map(sessions.map((row) => [key(row), row.session_count]));
  const names = listKeptTools(rows);
  const minutes = (range.toMs - range.fromMs) / 60_000;
  const page = toListPage(rows, { kind: 'tools', query, range });
  const tools = page.rows.map((row) => ({
    server: row.server,
    tool: row.kept ? row.tool : toOtherName(names),
    calls: row.n,
    callsPerMinute: row.n / minutes,
    sessions: sessionsOf.get(key(row)) ?? 0,
    errors: row.failed,
    errorRate: row.failed / row.n,
    ...toPercentilesMs(row),
    lastCalledAt: formatIso(row.last_seconds * 1_000_000),
  }));
  return { range, tools, ...page.next };
}

/**
 * Separate from the other stats, because only this query needs sessions by tool, and their states are large.
 */
function sessionsSql(source: CallSource): string {
  const { aggregates, where } = source;
  return `
    SELECT server_of AS server, kept, if(kept, tool_of, '') AS tool, uniqCombinedMerge(sessions_of) AS session_count
    FROM (
      SELECT
        toString(server_name) AS server_of,
        toString(tool_name) AS tool_of,
        ${aggregates.calls} AS n_of,
        ${aggregates.sessionsState} AS sessions_of,
        ${isKeptSql('row_number', 'n_of')} AS kept
      FROM ${aggregates.table}
      WHERE ${where.sql}
      GROUP BY server_of, tool_of
    )
    GROUP BY server, kept, tool
    ORDER BY sum(n_of) DESC, server, kept DESC, tool
    LIMIT ${MAX_LISTED_ROWS}`;
}
