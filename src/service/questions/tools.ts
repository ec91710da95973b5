// The tools table, and the p50/p95 panel of the overview: one row for each name that was called, unknown ones too.
// The rollups are sorted by server, time and tool, so a range of one server is a few granules, and every figure of a row,
// the number of sessions too, is one merge of states.

import { z } from 'zod';
import type { ToolsAnswer } from '../../contract/answers.ts';
import type { ListQuery } from '../../contract/query.ts';
import { type Counted, countedTools, toolGroups } from './figures.ts';
import { alignRange } from './grain.ts';
import { cutPage, MOST_LISTED, placeInList } from './list-page.ts';
import type { Asking, Resolved } from './ports.ts';
import { count, namesOf, percentilesMs, restName, toIso } from './row-values.ts';
import { readTotals, type ToolTotals } from './tool-totals.ts';

const SessionsRow = z.object({ server: z.string(), kept: count, tool: z.string(), session_count: count });

/** Calls, errors and latency per tool, most called first; a page of them. */
export async function answerTools(query: Resolved<ListQuery>, asking: Asking): Promise<ToolsAnswer> {
  const range = placeInList('tools', query)?.range ?? alignRange(query.range, asking);
  const counted = countedTools({ range, filters: query }, asking);
  const [{ tools: rows }, sessions] = await Promise.all([
    readTotals({ range, filters: query }, asking),
    asking.store.query({ sql: sessionsSql(counted), params: counted.where.params, row: SessionsRow }),
  ]);
  const key = ({ server, kept, tool }: Pick<ToolTotals, 'server' | 'kept' | 'tool'>): string =>
    JSON.stringify([server, kept, tool]);
  const sessionsOf = new Map(sessions.map((row) => [key(row), row.session_count]));
  const names = namesOf(rows);
  const minutes = (range.toMs - range.fromMs) / 60_000;
  const page = cutPage(rows, { kind: 'tools', query, range });
  const tools = page.rows.map((row) => ({
    server: row.server,
    tool: row.kept ? row.tool : restName(names),
    calls: row.n,
    callsPerMinute: row.n / minutes,
    sessions: sessionsOf.get(key(row)) ?? 0,
    errors: row.failed,
    errorRate: row.failed / row.n,
    ...percentilesMs(row),
    lastCalledAt: toIso(row.last_seconds * 1_000_000),
  }));
  return { range, tools, ...page.next };
}

/** Apart from the other figures, since nothing else asks for sessions by tool, and their states are large. */
function sessionsSql(counted: Counted): string {
  const { figures, where } = counted;
  const { kept, tool } = toolGroups(counted);
  return `
    SELECT server_name AS server, ${kept} AS kept, ${tool} AS tool, ${figures.sessions} AS session_count
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY server, kept, tool
    ORDER BY ${figures.calls} DESC, server, kept DESC, tool
    LIMIT ${MOST_LISTED}`;
}
