// One superseded or deprecated tool, and who calls it and its successor, day by day.
//
// Serves the page of one retirement. The key of `calls` is server and time; of the granules of a server, the tool
// skips those of others.

import type { RetirementQuery, RetirementResponse } from '../../../contract/retirements.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readToolCallers } from './recent-callers.ts';
import { readRetirements } from './retirements.ts';

const DAY_MS = 86_400_000;

/** @returns undefined if the tool is neither superseded nor deprecated, or already removed */
export async function getRetirement(
  tool: string,
  { server }: RetirementQuery,
  context: QueryContext,
): Promise<RetirementResponse | undefined> {
  const { nowMs, rawDays } = context;
  const retirement = (await readRetirements(server, context)).find((row) => row.tool === tool);
  if (retirement === undefined) return undefined;
  const today = Math.floor(nowMs / DAY_MS);
  const counted = { fromMs: (today - rawDays + 1) * DAY_MS, toMs: (today + 1) * DAY_MS };
  const { successor } = retirement;
  const tools = [tool, ...(successor === null ? [] : [successor])].map((name) => ({ server, tool: name }));
  return { retirement, counted, callers: await readToolCallers(tools, counted, context) };
}
