// Sequences of two to four tools that agents call one after the other: tools that always run together may be
// better as one. The same tool twice is a repeat, not a sequence.
//
// Serves the tools page. Windows of `calls` are ranges of its key, server and time; the order by session is
// sorted per query.

import { z } from 'zod';
import type { ToolColumnsResponse } from '../../../contract/tool.ts';
import { count } from '../../store/row-codec.ts';
import { type CallWindow, inWindows } from '../query/call-window.ts';
import { compareElements, whereFilter } from '../query/filter-condition.ts';
import { allOf, type CommonFilters, whereFilters } from '../query/filters.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY } from '../query/session-identity.ts';
import { toDisplayFilters } from './call-order.ts';

const Row = z.object({
  server: z.string(),
  tools: z.array(z.string()),
  n: count,
  session_count: count,
  failed_ends: count,
});

const MAX_SEQUENCES = 50;

/**
 * Most frequent first; sequences of a single session are left out. CommonFilters select the calls a sequence may
 * start with.
 */
export async function readSequences(
  { windows, filters }: { readonly windows: readonly CallWindow[]; readonly filters: CommonFilters },
  { store }: QueryContext,
): Promise<ToolColumnsResponse['sequences']> {
  if (windows.length === 0) return [];
  const where = inWindows(windows, { environment: filters.environment });
  const begins = allOf(whereFilters('calls', toDisplayFilters(filters)));
  const withTool = allOf(whereFilter('tool', filters.tool, compareElements('tools')));
  const rows = await store.query({
    sql: sequencesSql({ where: where.sql, begins: begins.sql, withTool: withTool.sql }),
    params: { ...where.params, ...begins.params, ...withTool.params },
    row: Row,
  });
  return rows.map(({ server, tools, n, session_count, failed_ends }) => ({
    server,
    tools,
    count: n,
    sessions: session_count,
    endedInFailure: toProportion(failed_ends, n),
  }));
}

interface SequenceConditions {
  /** Condition on the calls to order. */
  readonly where: string;
  /** Condition on the calls a sequence may start with. */
  readonly begins: string;
  /** Condition on the `tools` of a sequence. */
  readonly withTool: string;
}

const sequencesSql = ({ where, begins, withTool }: SequenceConditions) => `
    SELECT
      server,
      run.1 AS tools,
      count() AS n,
      uniqExact(session_hash) AS session_count,
      countIf(run.2) AS failed_ends
    FROM (
      SELECT
        server_name AS server,
        session_hash,
        may_begin,
        toString(tool_name) AS t0,
        leadInFrame(toString(tool_name), 1, '') OVER following AS t1,
        leadInFrame(toString(tool_name), 2, '') OVER following AS t2,
        leadInFrame(toString(tool_name), 3, '') OVER following AS t3,
        leadInFrame(has_failed, 1, 0) OVER following AS failed1,
        leadInFrame(has_failed, 2, 0) OVER following AS failed2,
        leadInFrame(has_failed, 3, 0) OVER following AS failed3,
        arrayFilter(
          run -> arrayUniq(run.1) = length(run.1) AND NOT has(run.1, ''),
          [([t0, t1], failed1), ([t0, t1, t2], failed2), ([t0, t1, t2, t3], failed3)]) AS runs
      FROM (
        SELECT
          server_name,
          tool_name,
          started_at,
          span_id,
          fault != 'none' AS has_failed,
          cityHash64(${IDENTITY}) AS session_hash,
          ${begins} AS may_begin
        FROM calls
        WHERE ${where} AND session_id != '' AND session_source != 'none'
      )
      WINDOW following AS (PARTITION BY session_hash ORDER BY started_at, span_id ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING)
    )
    ARRAY JOIN runs AS run
    WHERE may_begin AND ${withTool}
    GROUP BY server, tools
    HAVING session_count > 1
    ORDER BY n DESC, length(tools) DESC, tools
    LIMIT ${MAX_SEQUENCES}`;
