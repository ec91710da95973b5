// The tools table, and the p50/p95 panel of the overview: one row for each name that was called, unknown ones too.
// The rollups are sorted by server, time and tool, so a range of one server is a few granules, and every figure of a row,
// the number of sessions too, is one merge of states.

import { z } from 'zod';
import type { ToolsAnswer } from '../../contract/answers.ts';
import type { CommonQuery } from '../../contract/query.ts';
import { type Counted, countedTools, toolGroups } from './figures.ts';
import { alignRange } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { count, namesOf, Percentiles, percentilesMs, restName, toIso } from './row-values.ts';

const Row = z.object({
  server: z.string(),
  kept: count,
  tool: z.string(),
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
  session_count: count,
  last_seconds: count,
});

/** Calls, errors and latency per tool, most called first. */
export async function answerTools(query: Resolved<CommonQuery>, asking: Asking): Promise<ToolsAnswer> {
  const range = alignRange(query.range, asking);
  const counted = countedTools({ range, filters: query }, asking);
  const rows = await asking.store.query({ sql: toolsSql(counted), params: counted.where.params, row: Row });
  const names = namesOf(rows);
  const minutes = (range.toMs - range.fromMs) / 60_000;
  const tools = rows.map((row) => ({
    server: row.server,
    tool: row.kept ? row.tool : restName(names),
    calls: row.n,
    callsPerMinute: row.n / minutes,
    sessions: row.session_count,
    errors: row.failed,
    errorRate: row.failed / row.n,
    ...percentilesMs(row),
    lastCalledAt: toIso(row.last_seconds * 1_000_000),
  }));
  return { range, tools };
}

function toolsSql(counted: Counted): string {
  const { figures, where } = counted;
  const { kept, tool } = toolGroups(counted);
  return `
    SELECT
      server_name AS server,
      ${kept} AS kept,
      ${tool} AS tool,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles,
      ${figures.sessions} AS session_count,
      ${figures.lastCall} AS last_seconds
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY server, kept, tool
    ORDER BY n DESC, server, kept DESC, tool`;
}
