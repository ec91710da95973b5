// The stats of whole plans, for the list of plans and the head of a plan's page: their calls read by plan id, for
// which `calls` has an index, and grouped. The loops of plans are few, and read as a whole.

import { z } from 'zod';
import type { PlanEnding, PlanRow } from '../../../contract/plans.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { IS_LOOP } from '../loops/loops.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY } from '../query/session-identity.ts';

/** A plan without a newer call is over; agents think for minutes between two calls. */
const ACTIVE_MS = 10 * 60_000;

const Row = z.object({
  ...{ plan: z.string(), servers: z.array(z.string()), clients: z.array(z.string()) },
  ...{ session_count: count, n: count, failed: count, step_count: count, repeated: count },
  ...{ started_us: count, ended_us: count, last_started_us: count },
  ...{ last_server: z.string(), last_tool: z.string() },
  ...{ last_outcome: z.enum(OUTCOMES), last_fault: z.enum(FAULTS) },
});
type Row = z.infer<typeof Row>;
const PlanLoops = z.object({ plan: z.string(), n: count, last_us: count });
type PlanLoops = z.infer<typeof PlanLoops>;

/** The tool calls of plans, with `is_repeated`: a call of the plan had its tool and exactly its arguments before. */
export const CALLS_OF_PLANS = `
      SELECT
        *,
        arguments_fingerprint != 0 AND row_number() OVER (
          PARTITION BY plan_id, server_name, tool_name, fingerprint_key_id, arguments_fingerprint
          ORDER BY started_at, span_id
        ) > 1 AS is_repeated
      FROM (
        SELECT
          ${IDENTITY}, plan_id, client_name, tool_name, started_at, span_id, duration_us, outcome, fault,
          fingerprint_key_id, arguments_fingerprint
        FROM calls
        WHERE ${COUNTED_CALLS} AND plan_id IN {plans:Array(String)}
      )`;

const LAST = '(started_at, span_id)';

const rowsSql = `
    SELECT
      plan_id AS plan,
      arraySort(groupUniqArray(20)(toString(server_name))) AS servers,
      arraySort(groupUniqArrayIf(20)(toString(client_name), client_name != '')) AS clients,
      uniqExactIf((${IDENTITY}), session_id != '') AS session_count,
      count() AS n,
      countIf(fault != 'none') AS failed,
      uniqExact(server_name, tool_name) AS step_count,
      countIf(is_repeated) AS repeated,
      toUnixTimestamp64Micro(min(started_at)) AS started_us,
      toUnixTimestamp64Micro(max(started_at + toIntervalMicrosecond(duration_us))) AS ended_us,
      toUnixTimestamp64Micro(max(started_at)) AS last_started_us,
      toString(argMax(server_name, ${LAST})) AS last_server,
      toString(argMax(tool_name, ${LAST})) AS last_tool,
      toString(argMax(outcome, ${LAST})) AS last_outcome,
      toString(argMax(fault, ${LAST})) AS last_fault
    FROM (${CALLS_OF_PLANS})
    GROUP BY plan`;

const loopsSql = `
    SELECT plan_id AS plan, count() AS n, toUnixTimestamp64Micro(max(last_at)) AS last_us
    FROM loops FINAL
    WHERE ${IS_LOOP} AND plan_id IN {plans:Array(String)}
    GROUP BY plan`;

/** The plans in the given order; a plan without a retained tool call is left out. */
export async function readPlanRows(ids: readonly string[], context: QueryContext): Promise<PlanRow[]> {
  if (ids.length === 0) return [];
  const params = { plans: ids };
  const [rows, loops] = await Promise.all([
    context.store.query({ sql: rowsSql, params, row: Row }),
    context.store.query({ sql: loopsSql, params, row: PlanLoops }),
  ]);
  const rowOf = new Map(rows.map((row) => [row.plan, row]));
  const loopsOf = new Map(loops.map((row) => [row.plan, row]));
  return ids.flatMap((id) => {
    const row = rowOf.get(id);
    return row === undefined ? [] : [toPlanRow(row, loopsOf.get(id), context)];
  });
}

function toPlanRow(row: Row, loops: PlanLoops | undefined, { nowMs }: QueryContext): PlanRow {
  return {
    planId: row.plan,
    servers: row.servers,
    clients: row.clients,
    sessions: row.session_count,
    calls: row.n,
    errors: row.failed,
    steps: row.step_count,
    repeatedCalls: row.repeated,
    startedAt: formatIso(row.started_us),
    endedAt: formatIso(row.ended_us),
    lastServer: row.last_server,
    lastTool: row.last_tool,
    lastOutcome: row.last_outcome,
    lastFault: row.last_fault,
    loops: loops?.n ?? 0,
    ending: toEnding(row, { loopUs: loops?.last_us ?? -1, nowMs }),
  };
}

interface EndingInput {
  /** Start of the newest call that is part of a loop; negative without one. */
  readonly loopUs: number;
  readonly nowMs: number;
}

function toEnding(row: Row, { loopUs, nowMs }: EndingInput): PlanEnding {
  if (loopUs >= row.last_started_us) return 'loop';
  if (row.ended_us / 1_000 > nowMs - ACTIVE_MS) return 'active';
  if (row.last_fault !== 'none') return 'error';
  return row.last_outcome === 'ok' ? 'ok' : 'other';
}
