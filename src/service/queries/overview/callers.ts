// Clients or users by the tools that they call. The minutes have clients; only single calls have users. One statement
// that returns the tools of the first callers.
//
// Serves the page of clients. Both tables are read by time.

import { z } from 'zod';
import type { CallerRow, CallersQuery, CallersResponse } from '../../../contract/callers.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { count } from '../../store/row-codec.ts';
import { toCallSource } from '../query/call-source.ts';
import { clipToRetention } from '../query/call-window.ts';
import { allOf, rawSql } from '../query/filters.ts';
import { alignRange, chooseGrainFor } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';

const MAX_CALLERS = 20;
const MAX_TOOLS = 30;
const MINUTE_SECONDS = 60;

const Row = z.object({
  caller: z.string(),
  server: z.string(),
  tool: z.string(),
  n: count,
  failed: count,
  caller_n: count,
  caller_failed: count,
  callers: count,
});
type Row = z.infer<typeof Row>;

/** Calls and errors of each caller and tool. */
export async function getCallers(
  query: ResolvedQuery<CallersQuery>,
  context: QueryContext,
): Promise<CallersResponse> {
  const { by, range: requested, ...filters } = query;
  const range = alignRange(requested, context);
  const counted = clipToRetention(range, context);
  if (counted === undefined) return { range, by, counted: null, callers: [], total: 0 };
  const selection = { range: counted, filters };
  const grain =
    by === 'user' ? 'calls' : chooseGrainFor(MINUTE_SECONDS, { ...selection, retention: context });
  const { aggregates, where } = toCallSource(grain, selection);
  const condition = allOf(where, rawSql(by === 'user' ? `principal != ''` : ''));
  const rows = await context.store.query({
    sql: `
    SELECT
      caller, server, tool, n, failed,
      sum(n) OVER (PARTITION BY caller) AS caller_n,
      sum(failed) OVER (PARTITION BY caller) AS caller_failed,
      uniqExact(caller) OVER () AS callers
    FROM (
      SELECT
        ${by === 'user' ? 'principal' : 'toString(client_name)'} AS caller,
        toString(server_name) AS server,
        toString(tool_name) AS tool,
        ${aggregates.calls} AS n,
        ${aggregates.errors} AS failed
      FROM ${aggregates.table}
      WHERE ${condition.sql}
      GROUP BY caller, server, tool
    )
    ORDER BY caller_n DESC, caller, n DESC, server, tool
    LIMIT ${MAX_TOOLS} BY caller
    LIMIT ${MAX_CALLERS * MAX_TOOLS}`,
    params: condition.params,
    row: Row,
    callRange: counted,
  });
  const callers = groupBy(rows, ({ caller }) => caller);
  return {
    ...{ range, by, counted },
    callers: [...callers.values()].slice(0, MAX_CALLERS).flatMap(toCallerRow),
    total: rows[0]?.callers ?? 0,
  };
}

function toCallerRow(rows: readonly Row[]): CallerRow[] {
  const [first] = rows;
  if (first === undefined) return [];
  return [
    {
      name: first.caller,
      calls: first.caller_n,
      errors: first.caller_failed,
      tools: rows.map(({ server, tool, n, failed }) => ({ server, tool, calls: n, errors: failed })),
    },
  ];
}
