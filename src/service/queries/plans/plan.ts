// One plan: its stats, its steps in order, what like plans do besides, its sessions and loops, and a page of its
// calls.
//
// Serves the page of a plan. `calls` has an index of the plan id; the calls of a plan are few.

import { z } from 'zod';
import type { MissingStep, PlanQuery, PlanResponse, PlanStep } from '../../../contract/plans.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { SESSION_SOURCES } from '../../../core/model/session.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { CallKey, isBeyondCall, LISTED_CALLS, toCallKey, toCallRow } from '../calls/call-rows.ts';
import { IS_LOOP } from '../loops/loops.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import { closePage, parseCursor } from '../query/cursor.ts';
import { allOf, rawSql, whereFilters } from '../query/filters.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { type ToolIdentity, toToolKey } from '../query/tool-identity.ts';
import { comparePlans, MIN_LIKE_PLANS, MIN_STEP_SHARE } from './compare-plans.ts';
import { readLikePlans } from './like-plans.ts';
import { CALLS_OF_PLANS, readPlanRows } from './plan-rows.ts';

const MAX_STEPS = 200;
const MAX_SESSIONS = 50;

const StepRow = z.object({
  ...{ server: z.string(), tool: z.string(), n: count, failed: count, repeated: count },
  ...{ first_us: count, duration: count, last_outcome: z.enum(OUTCOMES), last_fault: z.enum(FAULTS) },
});
const SessionRow = z.object({
  ...{
    server: z.string(),
    source: z.enum(SESSION_SOURCES),
    session: z.string(),
    client: z.string(),
    n: count,
  },
});
const LoopOfPlan = z.object({
  ...{ id: z.string(), server: z.string(), session: z.string(), kind: z.string(), sentence: z.string() },
  onset_us: count,
});

/** @returns undefined if no tool call with this plan id is retained */
export async function getPlan(
  id: string,
  query: PlanQuery,
  context: QueryContext,
): Promise<PlanResponse | undefined> {
  const { cursor, limit } = query;
  const after = cursor === undefined ? undefined : parseCursor('plan', { text: cursor, key: CallKey }).after;
  const [[plan], steps, sessions, loops, rows] = await Promise.all([
    readPlanRows([id], context),
    readSteps(id, context),
    readSessions(id, context),
    readLoops(id, context),
    readCalls(id, { after, limit }, context),
  ]);
  if (plan === undefined) return undefined;
  const range = { fromMs: 0, toMs: context.nowMs };
  const { rows: calls, nextCursor } = closePage(rows, { kind: 'plan', range, limit, keyOf: toCallKey });
  return {
    plan,
    steps,
    comparison: await compareWithLikePlans(id, steps, context),
    sessions,
    loops,
    calls: calls.map(toCallRow),
    nextCursor,
  };
}

async function readSteps(id: string, { store }: QueryContext): Promise<PlanStep[]> {
  const rows = await store.query({
    sql: `
    SELECT
      toString(server_name) AS server,
      toString(tool_name) AS tool,
      count() AS n,
      countIf(fault != 'none') AS failed,
      countIf(is_repeated) AS repeated,
      toUnixTimestamp64Micro(min(started_at)) AS first_us,
      sum(duration_us) AS duration,
      toString(argMax(outcome, (started_at, span_id))) AS last_outcome,
      toString(argMax(fault, (started_at, span_id))) AS last_fault
    FROM (${CALLS_OF_PLANS})
    GROUP BY server, tool
    ORDER BY min((started_at, span_id))
    LIMIT ${MAX_STEPS}`,
    params: { plans: [id] },
    row: StepRow,
  });
  return rows.map((row) => ({
    server: row.server,
    tool: row.tool,
    calls: row.n,
    errors: row.failed,
    repeatedCalls: row.repeated,
    firstAt: formatIso(row.first_us),
    durationMs: row.duration / 1_000,
    lastOutcome: row.last_outcome,
    lastFault: row.last_fault,
  }));
}

async function readSessions(id: string, { store }: QueryContext): Promise<PlanResponse['sessions']> {
  const rows = await store.query({
    sql: `
    SELECT
      toString(server_name) AS server,
      toString(session_source) AS source,
      session_id AS session,
      toString(max(client_name)) AS client,
      count() AS n
    FROM (${CALLS_OF_PLANS})
    WHERE session_id != ''
    GROUP BY server, source, session
    ORDER BY min((started_at, span_id))
    LIMIT ${MAX_SESSIONS}`,
    params: { plans: [id] },
    row: SessionRow,
  });
  return rows.map(({ session, n, ...row }) => ({ ...row, sessionId: session, calls: n }));
}

async function readLoops(id: string, { store }: QueryContext): Promise<PlanResponse['loops']> {
  const rows = await store.query({
    sql: `
    SELECT
      id, toString(server_name) AS server, session_id AS session, toString(kind) AS kind, sentence,
      toUnixTimestamp64Micro(onset) AS onset_us
    FROM loops FINAL
    WHERE ${IS_LOOP} AND plan_id = {plan:String}
    ORDER BY onset, id`,
    params: { plan: id },
    row: LoopOfPlan,
  });
  return rows.map(({ session, onset_us, ...row }) => ({
    ...row,
    sessionId: session,
    onset: formatIso(onset_us),
  }));
}

interface PageBounds {
  readonly after: CallKey | undefined;
  readonly limit: number;
}

function readCalls(id: string, { after, limit }: PageBounds, { store }: QueryContext) {
  const where = allOf(rawSql(COUNTED_CALLS), whereFilters('calls', { plan: id }), isBeyondCall(after, '>'));
  return store.query({
    sql: `
    SELECT ${LISTED_CALLS.select}
    FROM calls
    WHERE ${where.sql}
    ORDER BY started_at, trace_id, span_id
    LIMIT ${limit + 1}`,
    params: where.params,
    row: LISTED_CALLS.row,
  });
}

async function compareWithLikePlans(
  id: string,
  steps: readonly ToolIdentity[],
  context: QueryContext,
): Promise<PlanResponse['comparison']> {
  const others = await readLikePlans(id, steps, context);
  const { likePlans, missing } = comparePlans(steps.map(toToolKey), others);
  return {
    likePlans,
    minLikePlans: MIN_LIKE_PLANS,
    minShare: MIN_STEP_SHARE,
    missing: missing.map(
      ({ step, plans, after, isAfterLast }): MissingStep => ({
        ...toTool(step),
        kind: isAfterLast ? 'not_reached' : 'skipped',
        after: after === undefined ? null : toTool(after),
        plans: toProportion(plans, likePlans),
      }),
    ),
  };
}

/** @param key as of `toToolKey` */
function toTool(key: string): ToolIdentity {
  const at = key.indexOf('\n');
  return { server: key.slice(0, at), tool: key.slice(at + 1) };
}
