// Tools that agents call one after the other, two to four in a row: what always runs together may be one tool. The same tool twice
// is a repeat and no sequence.

import { z } from 'zod';
import type { ToolColumnsAnswer } from '../../contract/tool.ts';
import { type CallWindow, inWindows } from './call-window.ts';
import type { Filters } from './filters.ts';
import type { Asking } from './ports.ts';
import { count } from './row-values.ts';
import { IDENTITY } from './session-scope.ts';

const Row = z.object({ server: z.string(), tools: z.array(z.string()), n: count, session_count: count });

const MOST_SEQUENCES = 50;

/** Most frequent first; once in one session is no sequence. */
export async function readSequences(
  { windows, filters }: { readonly windows: readonly CallWindow[]; readonly filters: Filters },
  { store }: Asking,
): Promise<ToolColumnsAnswer['sequences']> {
  if (windows.length === 0) return [];
  const where = inWindows(windows, { ...filters, tool: undefined });
  const rows = await store.query({
    sql: sequencesSql(where.sql),
    params: where.params,
    row: Row,
  });
  return rows
    .filter(({ tools }) => filters.tool === undefined || tools.includes(filters.tool))
    .map(({ server, tools, n, session_count }) => ({ server, tools, count: n, sessions: session_count }));
}

const sequencesSql = (where: string) => `
    SELECT server, tools, count() AS n, uniqExact(session_hash) AS session_count
    FROM (
      SELECT
        server_name AS server,
        session_hash,
        toString(tool_name) AS t0,
        leadInFrame(toString(tool_name), 1, '') OVER following AS t1,
        leadInFrame(toString(tool_name), 2, '') OVER following AS t2,
        leadInFrame(toString(tool_name), 3, '') OVER following AS t3,
        arrayFilter(
          run -> arrayUniq(run) = length(run) AND NOT has(run, ''),
          [[t0, t1], [t0, t1, t2], [t0, t1, t2, t3]]) AS runs
      FROM (
        SELECT server_name, tool_name, started_at, span_id, cityHash64(${IDENTITY}) AS session_hash
        FROM calls
        WHERE ${where} AND session_id != '' AND session_source != 'none'
      )
      WINDOW following AS (PARTITION BY session_hash ORDER BY started_at, span_id ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING)
    )
    ARRAY JOIN runs AS tools
    GROUP BY server, tools
    HAVING session_count > 1
    ORDER BY n DESC, length(tools) DESC, tools
    LIMIT ${MOST_SEQUENCES}`;
