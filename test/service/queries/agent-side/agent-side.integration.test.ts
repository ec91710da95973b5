// The agent's side in a real store, compared with what was written; and that it changes no figure of a server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentSideResponse, SessionAgentSideResponse } from '../../../../src/contract/agent-side.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import type { AgentCall } from '../../../../src/core/model/agent-call.ts';
import { AgentCallRecorder } from '../../../../src/service/ingest/agent-call-recorder.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { createSeededCall, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { createMulberry32 } from '../../../support/random.ts';

const MINUTE = 60_000;
const NOW = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 17 * MINUTE;
const range = { fromMs: NOW - 60 * MINUTE, toMs: NOW };
const limit = 100;

const random = createMulberry32(11);
const below = (n: number): number => Math.floor(random() * n);
const toId = (n: number, digits: number): string => (n + 1).toString(16).padStart(digits, '0');

type Ending = 'joined' | 'unreached' | 'other';

interface Scripted {
  readonly agentCall: AgentCall;
  readonly ending: Ending;
  readonly tool: string;
  readonly session: string;
  readonly serverUs: number;
  readonly isServerError: boolean;
  /** The MCP client's own report of the same call. */
  readonly inner: AgentCall | undefined;
}

function script(n: number): Scripted {
  const ending: Ending = n % 10 === 3 ? 'unreached' : n % 10 === 7 ? 'other' : 'joined';
  const tool = `tool_${below(3)}`;
  const startedAtUs = (range.fromMs + MINUTE + below(55 * MINUTE)) * 1_000;
  const serverUs = 1_000 + below(200_000);
  const isServerError = random() < 0.2;
  const agentCall: AgentCall = {
    ...{ traceId: toId(n, 32), spanId: toId(0x1000 + n, 16), parentSpanId: '', startedAtUs },
    ...{ durationUs: serverUs + 2_000 + below(90_000), emitter: 'gen_ai', agent: `agent_${n % 2}` },
    ...{ sessionId: '', tool: ending === 'other' ? 'shell' : `mcp__shop__${tool}` },
    ...{ failed: isServerError || random() < 0.1, errorType: '', errorMessage: '' },
  };
  const inner: AgentCall = {
    ...agentCall,
    ...{ spanId: toId(0x5000 + n, 16), parentSpanId: agentCall.spanId, emitter: 'mcp_client', tool },
    ...{ startedAtUs: startedAtUs + 500, durationUs: agentCall.durationUs - 1_000 },
  };
  const isReportedTwice = ending === 'joined' && n % 3 === 0;
  return {
    ...{ agentCall, ending, tool, serverUs, isServerError, session: `session_${n % 5}` },
    inner: isReportedTwice ? inner : undefined,
  };
}

const scripted = Array.from({ length: 300 }, (_, n) => script(n));
const ofEnding = (ending: Ending) => scripted.filter((one) => one.ending === ending);

const serverCalls = ofEnding('joined').map(
  ({ agentCall, inner, tool, session, serverUs, isServerError }, n) =>
    createSeededCall({
      startedUs: agentCall.startedAtUs + 1_000,
      ...{ trace_id: agentCall.traceId, duration_us: serverUs, server_name: 'shop', tool_name: tool },
      // Every fourth client does not pass the span on, only the trace.
      parent_span_id: n % 4 === 0 ? 'f'.repeat(16) : (inner ?? agentCall).spanId,
      ...{ session_id: session, session_source: 'transport', client_name: 'bot' },
      ...(isServerError ? { outcome: 'tool_error', fault: 'server' } : { outcome: 'ok', fault: 'none' }),
    }),
);

let engine: TestEngine;
let queries: Queries;

/** Every figure that a page or a client of the API shows of servers. */
function readFigures() {
  const query = { range };
  const list = { ...query, limit: 1_000 };
  return Promise.all([
    ...[queries.trend(query), queries.clients(query), queries.protocols(query), queries.rates(query)],
    ...[queries.attention(query), queries.servers(list), queries.tools(list), queries.errors(list)],
    ...[queries.neverCalled(list), queries.guard(query), queries.dependencies(query)],
    queries.series({ ...query, metric: 'calls', by: 'tool' }),
    queries.series({ ...query, metric: 'p95', by: 'server' }),
    queries.sessions({ ...query, minCalls: 0, order: 'recent', limit: 1_000 }),
    queries.sessionCounts(query),
    queries.session({ id: 'session_1', limit: 1_000 }),
    queries.sessionAgent({ id: 'session_1', limit: 1_000 }),
    queries.calls(list as Parameters<Queries['calls']>[0]),
    queries.loops(list as Parameters<Queries['loops']>[0]),
    queries.toolColumns(query),
    queries.recoveries(query),
    queries.changes(query),
  ]);
}

let figuresBefore: unknown;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', serverCalls.map(toStoredRow));
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
  expect((await queries.agentSide({ range })).calls).toBe(0);
  figuresBefore = await readFigures();
  const recorder = new AgentCallRecorder({
    ...{ clock: new FakeClock(NOW), maxPerDay: 100_000 },
    onDropped(reason) {
      throw new Error(reason);
    },
  });
  const all = scripted.flatMap(({ agentCall, inner }) => (inner ? [agentCall, inner] : [agentCall]));
  const rows = recorder.record(all).map(({ row }) => row);
  await engine.store.insert('agent_calls', Buffer.from(rows.join('')), 'agents');
  // A sender that never heard an answer sends again, perhaps to a service that has been restarted.
  await engine.store.insert('agent_calls', Buffer.from(rows.slice(0, 90).join('')), 'again');
}, 120_000);

afterAll(() => engine?.stop());

const toBeyondUs = ({ agentCall, serverUs }: Scripted): number => agentCall.durationUs - serverUs;

const countFailures = (own: readonly Scripted[]) => ({
  failed: own.filter(({ agentCall }) => agentCall.failed).length,
  failedAfterSuccess: own.filter(
    ({ agentCall, ending, isServerError }) => agentCall.failed && ending === 'joined' && !isServerError,
  ).length,
});

function percentile(values: readonly number[], quantile: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[Math.ceil(quantile * sorted.length) - 1] ?? 0) / 1_000;
}

// Requirement: figures.recount
describe('the agent’s side', () => {
  test('calls of agents are counted once, by what became of them', async () => {
    const answer = AgentSideResponse.parse(await queries.agentSide({ range }));
    expect(answer).toMatchObject({
      ...{ calls: scripted.length, joined: ofEnding('joined').length, untraced: 0, isLimited: false },
      ...{ unreached: ofEnding('unreached').length, other: ofEnding('other').length },
      ...countFailures(scripted),
    });
    const firstMs = Math.min(...scripted.map(({ agentCall }) => agentCall.startedAtUs / 1_000));
    expect(Date.parse(answer.firstAt ?? '')).toBe(firstMs);
  });

  test('each agent and tool has the time that the agent waited beyond the server', async () => {
    const { tools } = await queries.agentSide({ range });
    expect(tools).toHaveLength(6);
    for (const row of tools) {
      const own = scripted.filter(
        ({ agentCall, tool, ending }) =>
          agentCall.agent === row.agent && tool === row.tool && ending !== 'other',
      );
      const joined = own.filter(({ ending }) => ending === 'joined');
      expect(row).toMatchObject({
        ...{ emitter: 'gen_ai', server: 'shop', calls: own.length, joined: joined.length },
        ...{ unreached: own.length - joined.length, untraced: 0, ...countFailures(own) },
        waitedP50Ms: percentile(
          joined.map(({ agentCall }) => agentCall.durationUs),
          0.5,
        ),
        serverP50Ms: percentile(
          joined.map(({ serverUs }) => serverUs),
          0.5,
        ),
        beyondP50Ms: percentile(joined.map(toBeyondUs), 0.5),
        beyondP95Ms: percentile(joined.map(toBeyondUs), 0.95),
      });
      const total = joined.reduce((sum, one) => sum + toBeyondUs(one), 0) / 1_000;
      expect(row.beyondMs).toBeCloseTo(total, 6);
    }
  });

  test('filters of servers select joined calls, and say so of the others', async () => {
    const byTool = await queries.agentSide({ range, tool: 'tool_1' });
    const ofTool = scripted.filter(({ tool, ending }) => tool === 'tool_1' && ending !== 'other');
    expect(byTool).toMatchObject({ calls: ofTool.length, other: null });
    expect(byTool.unreached).toBe(ofTool.filter(({ ending }) => ending === 'unreached').length);
    const byClient = await queries.agentSide({ range, client: 'bot' });
    expect(byClient).toMatchObject({
      calls: serverCalls.length,
      joined: serverCalls.length,
      unreached: null,
    });
    expect(await queries.agentSide({ range, client: 'other' })).toMatchObject({ calls: 0, tools: [] });
  });

  test('the calls that need attention are listed, newest first', async () => {
    const { notable } = await queries.agentSide({ range });
    expect(notable.length).toBe(50);
    expect(notable.every((row) => row.state === 'unreached' || row.failedAfterSuccess)).toBe(true);
    for (const row of notable.filter(({ state }) => state === 'joined')) {
      const one = scripted.find(({ agentCall }) => agentCall.spanId === row.spanId);
      expect(row.waitedMs).toBe((one?.agentCall.durationUs ?? 0) / 1_000);
      expect([row.serverMs, row.beyondMs]).toEqual(one && [one.serverUs / 1_000, toBeyondUs(one) / 1_000]);
    }
    const times = notable.map(({ startedAt }) => startedAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('a session has the calls of its agent in order, with the times of both sides', async () => {
    const answer = SessionAgentSideResponse.parse(await queries.sessionAgentSide({ id: 'session_1', limit }));
    const own = scripted
      .filter(({ session, ending }) => session === 'session_1' && ending === 'joined')
      .toSorted((one, other) => one.agentCall.startedAtUs - other.agentCall.startedAtUs);
    expect(answer).toMatchObject({ calls: own.length, joined: own.length, unreached: 0, isLimited: false });
    expect(answer.agentCalls.map(({ spanId }) => spanId)).toEqual(
      own.map(({ agentCall }) => agentCall.spanId),
    );
    expect(
      answer.agentCalls.map(({ waitedMs, serverMs, beyondMs }) => [waitedMs, serverMs, beyondMs]),
    ).toEqual(
      own.map((one) => [one.agentCall.durationUs, one.serverUs, toBeyondUs(one)].map((us) => us / 1_000)),
    );
    const sum = (toUs: (one: Scripted) => number) => own.reduce((total, one) => total + toUs(one), 0) / 1_000;
    expect(answer.waitedMs).toBeCloseTo(
      sum(({ agentCall }) => agentCall.durationUs),
      6,
    );
    expect(answer.serverMs).toBeCloseTo(
      sum(({ serverUs }) => serverUs),
      6,
    );
    expect(answer.beyondMs).toBeCloseTo(sum(toBeyondUs), 6);
    await expect(queries.sessionAgentSide({ id: 'unknown', limit })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('no figure of a server changes when agents report their calls', async () => {
    expect(await readFigures()).toEqual(figuresBefore);
  });
});
