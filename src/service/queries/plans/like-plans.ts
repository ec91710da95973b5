// The steps of plans that make all steps of a given plan.
//
// Serves the page of a plan. Of `calls`, the key finds the tools of its servers and the index the plans found.

import { z } from 'zod';
import { COUNTED_CALLS } from '../query/call-window.ts';
import type { QueryContext } from '../query/query-context.ts';
import { type ToolIdentity, toToolKey } from '../query/tool-identity.ts';

/** The newest ones; a plan that is made more often has enough of them. */
const MAX_PLANS = 200;

const Row = z.object({ steps: z.array(z.string()) });

/** As `toToolKey`. */
const STEP = `concat(toString(server_name), '\\n', toString(tool_name))`;

const likePlansSql = `
    SELECT arrayMap(pair -> pair.2, arraySort(groupArray((first_call, step)))) AS steps
    FROM (
      SELECT plan_id, ${STEP} AS step, min((started_at, span_id)) AS first_call
      FROM calls
      WHERE ${COUNTED_CALLS} AND plan_id IN (
        SELECT plan_id
        FROM calls
        WHERE ${COUNTED_CALLS} AND plan_id NOT IN ('', {plan:String})
          AND server_name IN {servers:Array(String)} AND tool_name IN {tools:Array(String)}
          AND ${STEP} IN {steps:Array(String)}
        GROUP BY plan_id
        HAVING uniqExact(${STEP}) = length({steps:Array(String)})
        ORDER BY max(started_at) DESC
        LIMIT ${MAX_PLANS}
      )
      GROUP BY plan_id, step
    )
    GROUP BY plan_id`;

/**
 * The steps of each other plan that makes all of these steps, in whatever order.
 *
 * @returns keys as of `toToolKey`, in the order of first calls
 */
export async function readLikePlans(
  plan: string,
  steps: readonly ToolIdentity[],
  { store }: QueryContext,
): Promise<(readonly string[])[]> {
  const rows = await store.query({
    sql: likePlansSql,
    params: {
      plan,
      servers: [...new Set(steps.map(({ server }) => server))],
      tools: [...new Set(steps.map(({ tool }) => tool))],
      steps: steps.map(toToolKey),
    },
    row: Row,
  });
  return rows.map((row) => row.steps);
}
