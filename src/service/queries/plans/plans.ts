// The list of plans: those with a tool call in the range that passes the filters, counted as a whole.
//
// Serves the plans page. Only calls have a plan id; most have none, and their ids are empty texts next to each other,
// which cost little to skip. `calls` has partitions per day. Pages follow the newest call of a plan within the range,
// so a plan that is called during pagination moves to earlier pages.

import { z } from 'zod';
import type { PlansQuery, PlansResponse } from '../../../contract/plans.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import { count } from '../../store/row-codec.ts';
import { toCallSource } from '../query/call-source.ts';
import { clipToRetention } from '../query/call-window.ts';
import { closePage, microseconds, openPage } from '../query/cursor.ts';
import { allOf, rawSql, type Where, whereGiven } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readPlanRows } from './plan-rows.ts';

const Key = z.tuple([microseconds, z.string().regex(/^\d{1,20}$/)]);
const PLAN_LIST = { kind: 'plans', key: Key };

const Position = z.object({ plan: z.string(), hash: z.string(), last_us: count, total: count });
type Position = z.infer<typeof Position>;

/** One page of plans, last called first. */
export async function getPlans(
  query: ResolvedQuery<PlansQuery>,
  context: QueryContext,
): Promise<PlansResponse> {
  const { limit } = query;
  const { range, after } = openPage(PLAN_LIST, query, context);
  const kept = clipToRetention(range, context);
  if (kept === undefined) return { range, plans: [], total: 0, nextCursor: null };
  const { where } = toCallSource('calls', { range: kept, filters: query });
  const positions = await context.store.query({
    ...toPositionsQuery(allOf(where, rawSql(`plan_id != ''`)), { after, limit }),
    row: Position,
    callRange: kept,
  });
  const keyOf = ({ last_us, hash }: Position) => [last_us, hash] as const;
  const { rows, nextCursor } = closePage(positions, { kind: PLAN_LIST.kind, range, limit, keyOf });
  const plans = await readPlanRows(
    rows.map(({ plan }) => plan),
    context,
  );
  return { range, plans, total: rows[0]?.total ?? 0, nextCursor };
}

interface PageBounds {
  readonly after: z.infer<typeof Key> | undefined;
  readonly limit: number;
}

function toPositionsQuery(where: Where, { after, limit }: PageBounds) {
  const beyond = allOf(
    whereGiven('(last_us, id_hash) < ({key_us:Int64}, {key_hash:UInt64})', {
      key_us: after?.[0],
      key_hash: after?.[1],
    }),
  );
  return {
    sql: `
    SELECT plan, toString(id_hash) AS hash, last_us, total
    FROM (
      SELECT
        plan_id AS plan,
        cityHash64(plan_id) AS id_hash,
        toUnixTimestamp64Micro(max(started_at)) AS last_us,
        count() OVER () AS total
      FROM calls
      WHERE ${where.sql}
      GROUP BY plan_id
    )
    WHERE ${beyond.sql}
    ORDER BY last_us DESC, id_hash DESC
    LIMIT ${limit + 1}`,
    params: { ...where.params, ...beyond.params },
  };
}
