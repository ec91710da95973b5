// Complete calls without payloads, in the form of the model: what an export needs to recreate them elsewhere.
// Filters, order, pages and cursors are those of the list of calls.

import type { CallsQuery } from '../../../contract/calls.ts';
import type { ResolvedQuery, ToolCallPage } from '../../../contract/queries.ts';
import { CALL_FIELDS, selectCalls } from '../../store/call-codec.ts';
import { allOf } from '../query/filters.ts';
import { alignRange, inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { readCallPage, whereCalls } from './calls.ts';

const COMPLETE_CALLS = selectCalls(CALL_FIELDS);

/** One page of complete calls. */
export async function exportCalls(
  query: ResolvedQuery<CallsQuery>,
  context: QueryContext,
): Promise<ToolCallPage> {
  const { rows, nextCursor } = await readCallPage(query, COMPLETE_CALLS, context);
  return { calls: rows, nextCursor };
}

/** Number of calls on all pages. */
export function countExportedCalls(
  query: ResolvedQuery<CallsQuery>,
  { store, ...bounds }: QueryContext,
): Promise<number> {
  const { sql, params } = allOf(inRange('started_at', alignRange(query.range, bounds)), whereCalls(query));
  return queryNumber(store, { sql: `SELECT count() AS n FROM calls WHERE ${sql}`, params });
}
