// Plans in a real store, compared with an oracle over the same rows in plain TypeScript.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlanResponse, type PlanRow, PlansResponse } from '../../../../src/contract/plans.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import {
  createSeededCall,
  createSeededCalls,
  toColumnTime,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import {
  failedCalls,
  groupBy,
  type OracleFilters,
  sessionKey,
  toolCalls,
} from '../../../support/oracle/call-stats.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE + 23_456;
const range = { fromMs: NOW - DAY, toMs: NOW };
const USED = { fromMs: Math.floor(range.fromMs / MINUTE) * MINUTE, toMs: Math.ceil(NOW / MINUTE) * MINUTE };
const EVER = { fromMs: 0, toMs: NOW + DAY };

/** Arguments repeat within a plan, and those of a few calls are not known. */
const seeded = [
  ...createSeededCalls({ seed: 51, count: 1_200, fromMs: NOW - DAY, toMs: NOW }),
  ...createSeededCalls({ seed: 52, count: 300, fromMs: NOW - 4 * DAY, toMs: NOW - DAY }),
].map((call, at) => ({
  ...call,
  fingerprint_key_id: at % 9 === 0 ? 'key-2' : 'key-1',
  arguments_fingerprint: String(at % 17),
}));

interface WrittenStep {
  readonly tool: string;
  readonly server?: string;
  readonly isError?: boolean;
  readonly outcome?: 'cancelled';
}

/** A plan of its own session, one step a minute, that ended some time ago. */
function writePlan(plan: string, steps: readonly WrittenStep[], endedMs = NOW - HOUR) {
  return steps.map(({ tool, server = 'shop', isError = false, outcome }, at) => ({
    ...createSeededCall({
      startedUs: (endedMs - (steps.length - at) * MINUTE) * 1_000,
      ...{ plan_id: plan, session_id: `session of ${plan}`, server_name: server, tool_name: tool },
      ...(isError && { outcome: 'tool_error', fault: 'server', error_code: 'CONFLICT' }),
      ...(outcome && { outcome }),
    }),
    ...{ fingerprint_key_id: 'key-1', arguments_fingerprint: String(at + 1) },
  }));
}

const toSteps = (...tools: readonly string[]): WrittenStep[] => tools.map((tool) => ({ tool }));
const WHOLE = toSteps('search', 'reserve', 'confirm', 'notify');
const [SEARCH, RESERVE, CONFIRM] = WHOLE as [WrittenStep, WrittenStep, WrittenStep];

const written = [
  ...['one', 'two', 'three', 'four', 'five', 'six'].flatMap((name) => writePlan(`whole ${name}`, WHOLE)),
  ...writePlan('no confirmation', toSteps('search', 'reserve', 'notify')),
  ...writePlan('gave up', [SEARCH, { tool: 'reserve', isError: true }]),
  ...writePlan('running', [SEARCH, RESERVE], NOW - MINUTE),
  ...writePlan('stopped', [SEARCH, { tool: 'reserve', outcome: 'cancelled' }]),
  ...writePlan('looping', [SEARCH, CONFIRM, CONFIRM]),
  ...writePlan('over/two servers %', [SEARCH, { tool: 'send', server: 'mail' }, SEARCH]),
];
const calls = [...seeded, ...written];

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  await insertRows(engine.store, 'loops', [toLoopRow()]);
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
});

afterAll(() => engine?.stop());

function toLoopRow() {
  const [, , last] = callsOf('looping');
  const at = toColumnTime(last?.startedUs ?? 0);
  return {
    ...{ id: 'aa', server_name: 'shop', session_source: 'connection', session_id: 'session of looping' },
    ...{ plan_id: 'looping', kind: 'repeat', severity: 'confirmed', state: 'ended', tools: ['confirm'] },
    ...{ onset: at, last_at: at, detected_at: at, sentence: 'Called "confirm" again.', revision: 1 },
  };
}

function callsOf(plan: string) {
  return toolCalls(calls, EVER, { plan }).toSorted((one, other) =>
    one.startedUs === other.startedUs
      ? Number(one.span_id > other.span_id) - 0.5
      : one.startedUs - other.startedUs,
  ) as typeof calls;
}

/** Calls with the tool and the arguments of an earlier one. */
function repeatsOf(own: typeof calls) {
  const keyOf = (call: (typeof calls)[number]) =>
    [call.server_name, call.tool_name, call.fingerprint_key_id, call.arguments_fingerprint].join('\n');
  return own.filter(
    (call, at) =>
      call.arguments_fingerprint !== '0' && own.slice(0, at).some((other) => keyOf(other) === keyOf(call)),
  );
}

const stepOf = (call: (typeof calls)[number]) => `${call.server_name}\n${call.tool_name}`;
const unique = (values: readonly string[]) => [...new Set(values)].filter((value) => value !== '').sort();
const isoOf = (us: number) => new Date(Math.floor(us / 1_000)).toISOString().slice(0, 23);

function expectRow(row: PlanRow | undefined, plan: string): void {
  const own = callsOf(plan);
  const last = own.at(-1);
  const withSession = own.filter(({ session_id }) => session_id !== '');
  expect(row, plan).toMatchObject({
    planId: plan,
    servers: unique(own.map(({ server_name }) => server_name)),
    clients: unique(own.map(({ client_name }) => client_name)),
    sessions: new Set(withSession.map(sessionKey)).size,
    calls: own.length,
    errors: failedCalls(own).length,
    steps: new Set(own.map(stepOf)).size,
    repeatedCalls: repeatsOf(own).length,
    lastTool: last?.tool_name,
    lastOutcome: last?.outcome,
    lastFault: last?.fault,
  });
  expect(row?.startedAt.slice(0, 23)).toBe(isoOf(own[0]?.startedUs ?? 0));
  const endedUs = Math.max(...own.map(({ startedUs, duration_us }) => startedUs + duration_us));
  expect(row?.endedAt.slice(0, 23)).toBe(isoOf(endedUs));
}

async function readAllPlans(filters: OracleFilters, limit: number) {
  const rows: PlanRow[] = [];
  const totals = new Set<number>();
  let cursor: string | undefined;
  do {
    const page = PlansResponse.parse(await queries.plans({ range, ...filters, limit, cursor }));
    rows.push(...page.plans);
    totals.add(page.total);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { rows, totals };
}

describe('list of plans', () => {
  test.each<[string, OracleFilters]>([
    ['without a filter', {}],
    ['of one server', { server: 'files' }],
    ['of one tool', { tool: 'tool_1' }],
    ['of one client', { client: 'cursor' }],
    ['of one plan', { plan: 'plan-5' }],
  ])('the list of plans %s agrees with the oracle over all of its pages', async (_name, filters) => {
    const { rows, totals } = await readAllPlans(filters, 5);
    const inRange = toolCalls(calls, USED, filters).filter(({ plan_id }) => plan_id !== '');
    const byPlan = [...groupBy(inRange, ({ plan_id }) => plan_id)];
    const lastUs = new Map(
      byPlan.map(([plan, own]) => [plan, Math.max(...own.map(({ startedUs }) => startedUs))]),
    );
    expect(rows.map(({ planId }) => planId).sort()).toEqual([...lastUs.keys()].sort());
    const order = rows.map(({ planId }) => lastUs.get(planId) ?? 0);
    expect(order).toEqual(order.toSorted((one, other) => other - one));
    expect([...totals]).toEqual([lastUs.size]);
    for (const row of rows) expectRow(row, row.planId);
  });

  test.each([
    ['no confirmation', 'ok', 'its newest call succeeded'],
    ['gave up', 'error', 'its newest call failed and nothing followed for an hour'],
    ['running', 'active', 'its newest call ended a minute ago'],
    ['stopped', 'other', 'its newest call was cancelled'],
    ['looping', 'loop', 'its newest call is part of a loop'],
  ])('the plan "%s" has the ending %s, because %s', async (plan, ending, _because) => {
    const { plans } = await queries.plans({ range, plan, limit: 10 });
    expect(plans.map((row) => [row.planId, row.ending, row.loops])).toEqual([
      [plan, ending, ending === 'loop' ? 1 : 0],
    ]);
  });

  test('a range whose calls have expired has no plans', async () => {
    const expired = { fromMs: NOW - 90 * DAY, toMs: NOW - 80 * DAY };
    expect(await queries.plans({ range: expired, limit: 10 })).toMatchObject({ plans: [], total: 0 });
  });
});

describe('page of a plan', () => {
  test.each(['plan-5', 'plan-10', 'over/two servers %', 'looping'])(
    'the page of the plan "%s" agrees with the oracle',
    async (plan) => {
      const answer = PlanResponse.parse(await queries.plan({ id: plan, limit: 1_000 }));
      const own = callsOf(plan);
      expectRow(answer.plan, plan);
      expect(answer.calls.map(({ spanId }) => spanId)).toEqual(own.map(({ span_id }) => span_id));
      const repeats = repeatsOf(own);
      const expected = [...groupBy(own, stepOf)].map(([, ofStep]) => ({
        server: ofStep[0]?.server_name,
        tool: ofStep[0]?.tool_name,
        calls: ofStep.length,
        errors: failedCalls(ofStep).length,
        repeatedCalls: ofStep.filter((call) => repeats.includes(call as (typeof calls)[number])).length,
        durationMs: expect.closeTo(ofStep.reduce((sum, call) => sum + call.duration_us, 0) / 1_000, 3),
        lastOutcome: ofStep.at(-1)?.outcome,
        lastFault: ofStep.at(-1)?.fault,
      }));
      expect(answer.steps).toMatchObject(expected);
      const sessions = groupBy(
        own.filter(({ session_id }) => session_id !== ''),
        sessionKey,
      );
      expect(
        answer.sessions.map((row) => [`${row.server}|${row.source}|${row.sessionId}`, row.calls]),
      ).toEqual([...sessions].map(([key, ofSession]) => [key, ofSession.length]));
    },
  );

  test('a step that six like plans make is skipped, and one that they make later is not reached', async () => {
    const skipping = await queries.plan({ id: 'no confirmation', limit: 10 });
    expect(skipping.comparison).toMatchObject({ likePlans: 6, minLikePlans: 5, minShare: 0.8 });
    expect(skipping.comparison.missing).toMatchObject([
      {
        ...{ server: 'shop', tool: 'confirm', kind: 'skipped', after: { server: 'shop', tool: 'reserve' } },
        plans: { value: 1, n: 6 },
      },
    ]);
    const givingUp = await queries.plan({ id: 'gave up', limit: 10 });
    // The seven plans above, and two that made no more steps than it did.
    expect(givingUp.comparison.likePlans).toBe(9);
    expect(givingUp.comparison.missing).toEqual([]);
    const whole = await queries.plan({ id: 'whole one', limit: 10 });
    expect(whole.comparison).toMatchObject({ likePlans: 5, missing: [] });
  });

  test('nothing is called missing from a plan with fewer than five like plans', async () => {
    const { comparison } = await queries.plan({ id: 'over/two servers %', limit: 10 });
    expect(comparison).toMatchObject({ likePlans: 0, missing: [] });
  });

  test('the calls of a plan are paged, and its head is the same on every page', async () => {
    const first = await queries.plan({ id: 'whole one', limit: 3 });
    const second = await queries.plan({ id: 'whole one', limit: 3, cursor: first.nextCursor ?? '' });
    expect([first.calls.length, second.calls.length, second.nextCursor]).toEqual([3, 1, null]);
    expect(second.plan).toEqual(first.plan);
  });

  test('the page of a plan names its loops', async () => {
    const { loops } = await queries.plan({ id: 'looping', limit: 10 });
    expect(loops).toMatchObject([
      { id: 'aa', server: 'shop', sessionId: 'session of looping', kind: 'repeat' },
    ]);
  });

  test('an unknown plan id is refused with a hint', async () => {
    await expect(queries.plan({ id: 'unknown', limit: 10 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
