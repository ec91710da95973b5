// What the service says of the fixture's plans, and the calls of two of them for the tests that open their pages. Which
// steps are missing is told from the plan that was made to lack one.
import type { CallRow } from '../../src/contract/calls.ts';
import { PlanResponse, type PlanRow, PlansResponse } from '../../src/contract/plans.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';
import { createCalls } from './fixture-calls.ts';

export const SKIPPING_PLAN = 'refund-4711';
export const WHOLE_PLAN = 'refund-4712/eu';
const MINUTE = 60_000;

/** Calls of two plans, one over two servers; the newest is an hour old. */
export function createPlanCalls(nowMs: number): CallRow[] {
  const [template] = createCalls(nowMs);
  if (!template) throw new Error('the fixture has no calls');
  const toCall = (planId: string, [server, tool, fault]: PlannedCall, at: number): CallRow => ({
    ...template,
    ...{ planId, server, tool, method: 'tools/call', client: 'cursor', sessionId: `${planId} on ${server}` },
    ...{ sessionSource: 'meta' as const, outcome: fault === 'none' ? 'ok' : 'tool_error', fault },
    code: fault === 'none' ? '' : 'CONFLICT',
    traceId: String(at).padStart(32, planId === WHOLE_PLAN ? 'a' : 'b'),
    spanId: String(at).padStart(16, planId === WHOLE_PLAN ? 'a' : 'b'),
    argumentsFingerprint: tool,
    durationMs: 250,
    startedAt: new Date(nowMs - 60 * MINUTE - (9 - at) * MINUTE).toISOString(),
  });
  return [
    ...WHOLE.map((call, at) => toCall(WHOLE_PLAN, call, at)),
    ...SKIPPING.map((call, at) => toCall(SKIPPING_PLAN, call, at + 4)),
  ];
}

type PlannedCall = readonly [server: string, tool: string, fault: 'none' | 'server'];

const WHOLE: readonly PlannedCall[] = [
  ['shop', 'find_order', 'none'],
  ['shop', 'approve_refund', 'none'],
  ['shop', 'pay_refund', 'none'],
  ['mail', 'send_message', 'none'],
];
const SKIPPING: readonly PlannedCall[] = [
  ['shop', 'find_order', 'none'],
  ['shop', 'find_order', 'none'],
  ['shop', 'pay_refund', 'server'],
];

const isOfPlan = (call: CallRow) => call.planId !== '' && call.method === 'tools/call';

/** @param chosen the calls of the range that pass the filters */
export function toPlans(chosen: readonly CallRow[], all: readonly CallRow[], range: TimeRange) {
  const ids = [...new Set(chosen.filter(isOfPlan).map(({ planId }) => planId))];
  const plans = ids
    .map((id) => toPlanRow(callsOf(all, id)))
    .sort((one, other) => other.endedAt.localeCompare(one.endedAt));
  return PlansResponse.parse({ range, plans, total: plans.length, nextCursor: null });
}

/** @returns undefined for an unknown plan */
export function toPlan(all: readonly CallRow[], id: string) {
  const calls = callsOf(all, id);
  if (calls.length === 0) return undefined;
  const tools = [...new Set(calls.map(({ tool }) => tool))];
  const isSkipping = id === SKIPPING_PLAN;
  return PlanResponse.parse({
    plan: toPlanRow(calls),
    steps: tools.map((tool) => toStep(calls.filter((call) => call.tool === tool))),
    comparison: {
      likePlans: isSkipping ? 6 : 1,
      minLikePlans: 5,
      minShare: 0.8,
      missing: isSkipping ? MISSING : [],
    },
    sessions: [...new Set(calls.map(({ sessionId }) => sessionId))].map((sessionId) => {
      const own = calls.filter((call) => call.sessionId === sessionId);
      return {
        server: own[0]?.server,
        source: own[0]?.sessionSource,
        sessionId,
        client: own[0]?.client,
        calls: own.length,
      };
    }),
    loops: [],
    calls,
    nextCursor: null,
  });
}

const MISSING = [
  {
    ...{ server: 'shop', tool: 'approve_refund', kind: 'skipped' },
    after: { server: 'shop', tool: 'find_order' },
    plans: { value: 1, n: 6, low: 0.61, high: 1 },
  },
  {
    ...{ server: 'mail', tool: 'send_message', kind: 'not_reached' },
    after: { server: 'shop', tool: 'pay_refund' },
    plans: { value: 5 / 6, n: 6, low: 0.44, high: 0.97 },
  },
];

const callsOf = (all: readonly CallRow[], id: string) =>
  all.filter((call) => isOfPlan(call) && call.planId === id);
const endOf = ({ startedAt, durationMs }: CallRow) => Date.parse(startedAt) + durationMs;
const namesOf = (calls: readonly CallRow[], of: (call: CallRow) => string) =>
  [...new Set(calls.map(of))].sort();
/** Every call of a tool has the same arguments in these plans. */
const countRepeats = (calls: readonly CallRow[]) => calls.length - namesOf(calls, ({ tool }) => tool).length;
const countErrors = (calls: readonly CallRow[]) => calls.filter(({ fault }) => fault !== 'none').length;

function toPlanRow(calls: readonly CallRow[]): PlanRow {
  const [first] = calls;
  const last = calls.at(-1);
  if (!first || !last) throw new Error('a plan has calls');
  return {
    planId: first.planId,
    servers: namesOf(calls, ({ server }) => server),
    clients: namesOf(calls, ({ client }) => client),
    sessions: namesOf(calls, ({ sessionId }) => sessionId).length,
    calls: calls.length,
    errors: countErrors(calls),
    steps: namesOf(calls, ({ tool }) => tool).length,
    repeatedCalls: countRepeats(calls),
    startedAt: first.startedAt,
    endedAt: new Date(Math.max(...calls.map(endOf))).toISOString(),
    lastServer: last.server,
    lastTool: last.tool,
    lastOutcome: last.outcome,
    lastFault: last.fault,
    loops: 0,
    ending: last.fault === 'none' ? 'ok' : 'error',
  };
}

function toStep(calls: readonly CallRow[]) {
  const last = calls.at(-1);
  return {
    server: last?.server,
    tool: last?.tool,
    calls: calls.length,
    errors: countErrors(calls),
    repeatedCalls: countRepeats(calls),
    firstAt: calls[0]?.startedAt,
    durationMs: calls.reduce((sum, { durationMs }) => sum + durationMs, 0),
    lastOutcome: last?.outcome,
    lastFault: last?.fault,
  };
}
