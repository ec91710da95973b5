// The panel of errors per tool and code, and the heat table of tools and error classes. The rollups are keyed by outcome
// and code beside the tool, so shares and rates come from one read of them.

import { z } from 'zod';
import type { ErrorsAnswer } from '../../contract/answers.ts';
import type { ListQuery } from '../../contract/query.ts';
import { FAULTS, OUTCOMES } from '../../core/model/outcome.ts';
import { type Counted, countedTools, countedTotals, toolGroups } from './figures.ts';
import { alignRange } from './grain.ts';
import { cutPage, MOST_LISTED, placeInList } from './list-page.ts';
import type { Asking, Resolved } from './ports.ts';
import { count, namesOf, restName } from './row-values.ts';

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

/** How often each tool failed with each code, most frequent first; a page of it. */
export async function answerErrors(query: Resolved<ListQuery>, asking: Asking): Promise<ErrorsAnswer> {
  const range = placeInList('errors', query)?.range ?? alignRange(query.range, asking);
  const counted = countedTotals({ range, filters: query }, asking);
  // Which tools keep their names is a matter of their calls alone, and of those the days know.
  const names = countedTools({ range, filters: query }, asking);
  const rows = await asking.store.query({
    sql: errorsSql(counted, names),
    params: { ...counted.where.params, ...names.where.params },
    row: Row,
  });
  const named = namesOf(rows);
  const page = cutPage(rows, { kind: 'errors', query, range });
  const errors = page.rows.map((row) => ({
    server: row.server,
    tool: row.kept ? row.tool : restName(named),
    code: row.code,
    outcome: row.outcome,
    fault: row.fault,
    count: row.n,
    share: row.n / row.tool_errors,
    rate: row.n / row.tool_calls,
  }));
  return { range, errors, ...page.next };
}

function errorsSql(counted: Counted, countedNames: Counted): string {
  const { figures, where } = counted;
  const { kept, tool } = toolGroups(countedNames);
  return `
    SELECT
      *
    FROM (
      SELECT
        server_name AS server,
        ${kept} AS kept,
        ${tool} AS tool,
        error_code AS code,
        outcome,
        fault,
        ${figures.calls} AS n,
        sum(if(fault != 'none', n, 0)) OVER (PARTITION BY server, kept, tool) AS tool_errors,
        sum(n) OVER (PARTITION BY server, kept, tool) AS tool_calls
      FROM ${figures.table}
      WHERE ${where.sql}
      GROUP BY server, kept, tool, code, outcome, fault
    )
    WHERE fault != 'none'
    ORDER BY n DESC, server, tool, code, outcome
    LIMIT ${MOST_LISTED}`;
}
