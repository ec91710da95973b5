// Calls, errors and latency of every tool and in total, as used by the tiles, the tools table, the verdict
// and the shifts: one statement per range that all of them share, so that a page runs it once. The total
// merges the per-tool states, so its cost depends on the number of tools.
//
// Serves the overview and the tools page. The keys of the days and hours are server and tool, by which the
// rows are grouped.

import { z } from 'zod';
import { count } from '../../store/row-codec.ts';
import { type CallSource, isKeptSql } from '../query/call-source.ts';
import { chooseToolSource } from '../query/day-split.ts';
import type { CallSelection } from '../query/filters.ts';
import { MAX_LISTED_ROWS } from '../query/list-page.ts';
import type { QueryContext } from '../query/query-context.ts';
import { Percentiles } from '../query/row-values.ts';

const Row = z.object({
  part: z.enum(['tool', 'all']),
  server: z.string(),
  kept: count,
  tool: z.string(),
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
  last_seconds: count,
});
type Row = z.infer<typeof Row>;

/** Totals of one tool, or of the remaining tools of a server if `kept` is 0. */
export type ToolTotals = Omit<Row, 'part'>;

export interface CallTotals {
  /** Most called first. */
  readonly tools: readonly ToolTotals[];
  /** Undefined if there are no calls. */
  readonly all: Pick<Row, 'n' | 'failed' | 'timed' | 'percentiles'> | undefined;
}

/**
 * @param query.range aligned
 * @throws UserError INVALID_PARAMETER when a filter needs calls or minutes that have expired
 */
export async function readCallTotals(
  { range, filters }: CallSelection,
  context: QueryContext,
): Promise<CallTotals> {
  const source = await chooseToolSource({ range, filters }, context);
  const sql = totalsSql(source);
  const rows = await context.store.query({ sql, params: source.where.params, row: Row, callRange: range });
  return {
    tools: rows.filter(({ part }) => part === 'tool'),
    all: rows.find(({ part }) => part === 'all'),
  };
}

function totalsSql({ aggregates, where }: CallSource): string {
  return `
    SELECT
      part,
      if(part = 'tool', server_of, '') AS server,
      part = 'tool' AND kept_of AS kept,
      if(kept, tool_of, '') AS tool,
      sum(n_of) AS n,
      sum(failed_of) AS failed,
      sum(timed_of) AS timed,
      quantilesBFloat16Merge(0.5, 0.95, 0.99)(percentiles_of) AS percentiles,
      max(last_of) AS last_seconds
    FROM (
      SELECT
        toString(server_name) AS server_of,
        toString(tool_name) AS tool_of,
        ${aggregates.calls} AS n_of,
        ${aggregates.errors} AS failed_of,
        ${aggregates.timed} AS timed_of,
        ${aggregates.percentilesState} AS percentiles_of,
        ${aggregates.lastCall} AS last_of,
        ${isKeptSql('row_number', 'n_of')} AS kept_of
      FROM ${aggregates.table}
      WHERE ${where.sql}
      GROUP BY server_of, tool_of
    )
    ARRAY JOIN ['tool', 'all'] AS part
    GROUP BY part, server, kept, tool
    ORDER BY part = 'all' DESC, n DESC, server, kept DESC, tool
    LIMIT ${MAX_LISTED_ROWS + 1}`;
}
