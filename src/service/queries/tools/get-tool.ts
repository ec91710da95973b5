// The page of one tool: its stats, and the advice that the rules derive from them.

import type { ResolvedQuery } from '../../../contract/queries.ts';
import type { ToolQuery, ToolResponse } from '../../../contract/tool.ts';
import { readAdvice } from '../advice/advice.ts';
import { readEvidence } from '../advice/evidence.ts';
import { alignRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readToolDetails } from './tool.ts';

/** @throws UserError NOT_FOUND for a name that was neither listed nor called */
export async function getTool(
  tool: string,
  query: ResolvedQuery<ToolQuery>,
  context: QueryContext,
): Promise<ToolResponse> {
  const { server, environment } = query;
  const filters = { server, environment, tool };
  const range = alignRange(query.range, context);
  const evidence = readEvidence({ range, filters, pageFilters: query }, context);
  const [details, advice] = await Promise.all([
    readToolDetails(tool, query, { context, evidence }),
    evidence.then((found) => readAdvice({ evidence: found, filters, withResolved: true }, context)),
  ]);
  return { ...details, advice };
}
