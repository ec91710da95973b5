// The panel of errors per tool and code, and the heat map of tools and error classes. The rollups are keyed
// by outcome, code and tool, so shares and rates come from one read.

import { z } from 'zod';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ListQuery } from '../../../contract/query.ts';
import type { ErrorsResponse } from '../../../contract/tools.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { count } from '../../store/row-codec.ts';
import { type CallSource, isKeptSql } from '../query/call-source.ts';
import { chooseTotalSource } from '../query/day-split.ts';
import { alignRange } from '../query/grain.ts';
import { MAX_LISTED_ROWS, parseListPosition, toListPage } from '../query/list-page.ts';
import type { QueryContext } from '../query/query-context.ts';
import { listKeptTools, toOtherName } from '../query/row-values.ts';

const Row = z.object({
  server: z.string(),
  kept: count,
  tool: z.string(),
  code: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  n: count,
  tool_errors: count,
  tool_calls: count,
});

/** Failures per tool and code, most frequent first; one page. */
export async function getErrors(
  query: ResolvedQuery<ListQuery>,
  context: QueryContext,
): Promise<ErrorsResponse> {
  const range = parseListPosition('errors', query)?.range ?? alignRange(query.range, context);
  const source = chooseTotalSource({ range, filters: query }, context);
  const rows = await context.store.query({
    sql: errorsSql(source),
    params: source.where.params,
    row: Row,
    callRange: range,
  });
  const named = listKeptTools(rows);
  const page = toListPage(rows, { kind: 'errors', query, range });
  const errors = page.rows.map((row) => ({
    server: row.server,
    tool: row.kept ? row.tool : toOtherName(named),
    code: row.code,
    outcome: row.outcome,
    fault: row.fault,
    count: row.n,
    share: row.n / row.tool_errors,
    rate: row.n / row.tool_calls,
  }));
  return { range, errors, ...page.next };
}

function errorsSql({ aggregates, where }: CallSource): string {
  return `
    SELECT *
    FROM (
      SELECT
        server_of AS server,
        kept,
        if(kept, tool_of, '') AS tool,
        code,
        outcome,
        fault,
        sum(n_of) AS n,
        sum(if(fault != 'none', n, 0)) OVER (PARTITION BY server, kept, tool) AS tool_errors,
        sum(n) OVER (PARTITION BY server, kept, tool) AS tool_calls
      FROM (
        SELECT *, ${isKeptSql('dense_rank', 'calls_of')} AS kept
        FROM (
          SELECT
            toString(server_name) AS server_of,
            toString(tool_name) AS tool_of,
            error_code AS code,
            outcome,
            fault,
            ${aggregates.calls} AS n_of,
            sum(n_of) OVER (PARTITION BY server_of, tool_of) AS calls_of
          FROM ${aggregates.table}
          WHERE ${where.sql}
          GROUP BY server_of, tool_of, code, outcome, fault
        )
      )
      GROUP BY server, kept, tool, code, outcome, fault
    )
    WHERE fault != 'none'
    ORDER BY n DESC, server, tool, code, outcome
    LIMIT ${MAX_LISTED_ROWS}`;
}
