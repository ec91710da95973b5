// The spans of one call, and the dependencies of a tool, compared with sums over the same spans in plain TypeScript.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallSpansResponse, DependenciesResponse } from '../../../../src/contract/child-spans.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import type { ChildSpan } from '../../../../src/core/model/child-span.ts';
import { ChildSpanLinker } from '../../../../src/service/ingest/child-span-linker.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { createMulberry32 } from '../../../support/random.ts';

const NOW = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 1_234_567;
const range = { fromMs: NOW - 3_600_000, toMs: NOW };
const DEPENDENCIES = ['', 'postgresql:orders', 'api.example.com', 'redis'];

const random = createMulberry32(7);
const below = (limit: number): number => Math.floor(random() * limit);
const toId = (n: number, digits: number): string => (n + 1).toString(16).padStart(digits, '0');

interface MadeSpan extends ChildSpan {
  readonly parent: MadeSpan | undefined;
}

interface MadeCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly startedAtUs: number;
  readonly durationUs: number;
  readonly tool: string;
  readonly client: string;
  readonly spans: readonly MadeSpan[];
}

let spanIds = 0;

function makeCall(n: number): MadeCall {
  const startedAtUs = (NOW - below(3_500_000)) * 1_000 + below(1_000);
  const call = { traceId: toId(n, 32), spanId: toId(n, 16), startedAtUs, durationUs: 1_000 + below(200_000) };
  const spans: MadeSpan[] = [];
  for (let at = below(7); at > 0; at -= 1) {
    const parent = random() < 0.4 ? spans[below(spans.length)] : undefined;
    spanIds += 1;
    spans.push({
      ...{ traceId: call.traceId, spanId: toId(0x5000_0000 + spanIds, 16) },
      parentSpanId: parent?.spanId ?? call.spanId,
      ...{ startedAtUs: startedAtUs + below(50_000), durationUs: below(90_000), name: `span ${spanIds}` },
      ...{ kind: 'db', dependency: DEPENDENCIES[below(4)] ?? '', failed: random() < 0.2, errorType: '' },
      parent,
    });
  }
  return { ...call, tool: `tool_${below(3)}`, client: `client_${below(2)}`, spans };
}

const calls = Array.from({ length: 400 }, (_, n) => makeCall(n));

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  const linker = new ChildSpanLinker({
    ...{ clock: new FakeClock(NOW), maxPerDay: 100_000 },
    onDropped(reason) {
      throw new Error(reason);
    },
  });
  for (const call of calls) linker.addCall({ ...call, server: 'shop', environment: '', version: '1' });
  linker.addChildren(calls.flatMap(({ spans }) => spans));
  const rows = linker.takeLinked().map(({ row }) => row);
  await engine.store.insert('child_spans', Buffer.from(rows.join('')), 'spans');
  // A sender that never heard an answer sends again, perhaps to a service that has been restarted.
  await engine.store.insert('child_spans', Buffer.from(rows.slice(0, 50).join('')), 'again');
  await engine.store.command('OPTIMIZE TABLE child_spans FINAL');
  const freshness = () => ({ lastEventAt: null }) as never;
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
});

afterAll(() => engine?.stop());

const hasDependencyAbove = (span: MadeSpan): boolean =>
  span.parent !== undefined && (span.parent.dependency !== '' || hasDependencyAbove(span.parent));

// Requirement: figures.recount
describe('dependencies of tools', () => {
  test.each<[{ readonly tool?: string; readonly client?: string }, string]>([
    [{ tool: 'tool_1' }, 'one tool'],
    [{}, 'all tools'],
    [{ tool: 'tool_2', client: 'client_1' }, 'one client'],
  ])(
    'the dependencies of a tool are the sums over its spans that are in no other dependency: %j, %s',
    async (filters) => {
      const answer = DependenciesResponse.parse(
        await queries.dependencies({ range, server: 'shop', ...filters }),
      );
      const own = calls.filter(
        (call) =>
          call.tool === (filters.tool ?? call.tool) && call.client === (filters.client ?? call.client),
      );
      const traced = own.filter(({ spans }) => spans.length > 0);
      const timeOf = (selected: readonly MadeCall[]) =>
        selected.reduce((sum, call) => sum + call.durationUs, 0);
      expect(answer.calls).toBe(traced.length);
      expect(answer.callsMs).toBeCloseTo(timeOf(traced) / 1_000, 6);
      expect(answer.dependencies.length).toBeGreaterThan(2);
      for (const row of answer.dependencies) {
        const ofTool = traced.filter(({ tool }) => tool === row.tool);
        const spans = ofTool
          .flatMap((call) => call.spans)
          .filter((span) => span.dependency === row.dependency && !hasDependencyAbove(span));
        const durations = spans.map(({ durationUs }) => durationUs).sort((one, other) => one - other);
        const total = durations.reduce((sum, one) => sum + one, 0);
        const errors = spans.filter(({ failed }) => failed).length;
        expect(row).toMatchObject({ spans: spans.length, errors, errorRate: errors / spans.length });
        expect(row.totalMs).toBeCloseTo(total / 1_000, 6);
        expect(row.timeShare).toBeCloseTo(total / timeOf(ofTool), 9);
        const p95Ms = (durations[Math.ceil(0.95 * durations.length) - 1] ?? 0) / 1_000;
        expect(Math.abs(row.p95Ms - p95Ms)).toBeLessThanOrEqual(0.01 * p95Ms + 0.001);
      }
    },
  );

  test('a plan is refused as a filter, because child spans have none', async () => {
    await expect(queries.dependencies({ range, plan: 'p' })).rejects.toMatchObject({ field: 'plan' });
  });
});

describe('child spans of a call', () => {
  const read = async (call: MadeCall) =>
    CallSpansResponse.parse(
      await queries.callSpans({
        id: `${call.traceId}.${call.spanId}`,
        ...{ server: 'shop', tool: call.tool },
        at: new Date(call.startedAtUs / 1_000).toISOString(),
      }),
    );

  test('the spans of a call are a tree, siblings by their start', async () => {
    const call =
      calls.find(({ spans }) => spans.filter(({ parent }) => parent?.parent).length > 0) ?? calls[0];
    if (!call) throw new Error('There is no call.');
    const { spans, isLimited } = await read(call);
    expect(isLimited).toBe(false);
    const list = (parent: MadeSpan | undefined, depth: number): unknown[] =>
      call.spans
        .filter((span) => span.parent === parent)
        .sort((one, other) => one.startedAtUs - other.startedAtUs)
        .flatMap((span) => [
          {
            ...{ name: span.name, depth, failed: span.failed, dependency: span.dependency },
            offsetMs: (span.startedAtUs - call.startedAtUs) / 1_000,
            durationMs: span.durationUs / 1_000,
          },
          ...list(span, depth + 1),
        ]);
    expect(spans.map(({ id: _, parentId: __, kind: ___, errorType: ____, ...span }) => span)).toEqual(
      list(undefined, 0),
    );
  });

  test('a call without spans has none, and an id that is no call is refused', async () => {
    const call = calls.find(({ spans }) => spans.length === 0);
    expect(call && (await read(call))).toEqual({ spans: [], isLimited: false });
    await expect(queries.callSpans({ id: 'x', server: 'shop', at: 'now' })).rejects.toMatchObject({
      field: 'id',
    });
  });
});
