// What the filters of calls offer, against the same rows counted in memory one filter at a time.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallHistogramResponse } from '../../../../src/contract/call-histogram.ts';
import {
  CallValuesResponse,
  SUGGESTED_FILTERS,
  type SuggestedFilter,
} from '../../../../src/contract/call-values.ts';
import type { FilterValue } from '../../../../src/contract/filter-value.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { createSeededCalls, type SeededCall, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { isWanted, isWithin } from '../../../support/oracle/call-stats.ts';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000 + 23_456;
const range = { fromMs: NOW - 24 * HOUR, toMs: NOW };
const USED = { fromMs: Math.floor(range.fromMs / 60_000) * 60_000, toMs: Math.ceil(NOW / 60_000) * 60_000 };

const GUARD_ATTRIBUTES = [
  ['toolscope.guard.blocked', 'blocked'],
  ['toolscope.guard.would_block', 'would_block'],
  ['toolscope.guard.nudged', 'nudged'],
] as const;

const COLUMN: Readonly<Record<SuggestedFilter, (call: SeededCall) => string>> = {
  server: (c) => c.server_name,
  environment: (c) => c.environment,
  tool: (c) => c.tool_name,
  client: (c) => c.client_name,
  version: (c) => c.server_version,
  method: (c) => c.method,
  outcome: (c) => c.outcome,
  fault: (c) => c.fault,
  code: (c) => c.error_code,
  argument: (c) => c.error_argument,
  protocol: (c) => c.protocol_version,
  transport: (c) => c.transport,
  guard: (c) => GUARD_ATTRIBUTES.find(([name]) => c.attributes?.[name])?.[1] ?? '',
};

const calls = createSeededCalls({ seed: 11, count: 1_500, fromMs: NOW - 26 * HOUR, toMs: NOW }).map(
  (call, at): SeededCall =>
    call.fault === 'none'
      ? { ...call, attributes: guardAttributesOf(at) }
      : {
          ...call,
          error_message: at % 3 === 0 ? 'limit must be <= <n>' : 'not found',
          error_argument: at % 3 === 0 ? 'limit' : '',
        },
);

/** Of every eleven, three are seen by a guard. */
function guardAttributesOf(at: number): Record<string, string> {
  const attribute = GUARD_ATTRIBUTES[at % 11];
  return attribute ? { [attribute[0]]: 'LOOP_DETECTED' } : {};
}

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
});

afterAll(() => engine.stop());

type Filters = Partial<Record<SuggestedFilter, FilterValue>> & {
  errors?: 'true' | 'false';
  counted?: 'true';
  q?: string;
};

/** Plainly: each call against each filter. */
function selectCalls({ errors, counted, q, ...names }: Filters): SeededCall[] {
  return calls.filter(
    (call) =>
      isWithin(call, USED) &&
      (errors === undefined || (errors === 'true') === (call.fault !== 'none')) &&
      (!counted ||
        (call.side === 'server' && call.method === 'tools/call' && call.outcome !== 'input_required')) &&
      (q === undefined || searchedTexts(call).some((text) => text.includes(q.toLowerCase()))) &&
      SUGGESTED_FILTERS.every((name) => isWanted(names[name], COLUMN[name](call))),
  );
}

function searchedTexts({ tool_name, error_code, error_message = '' }: SeededCall): string[] {
  return [tool_name, error_code, error_message].map((text) => text.toLowerCase());
}

function countBy(rows: readonly SeededCall[], textOf: (call: SeededCall) => string) {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(textOf(row), (counts.get(textOf(row)) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

const CASES: readonly (readonly [because: string, filters: Filters])[] = [
  ['no filter is set', {}],
  ['the rollups have the count', { counted: 'true', server: 'notes', tool: 'tool_1' }],
  ['the rollups have the errors', { counted: 'true', errors: 'true', client: 'cursor' }],
  ['the rollups have the successes', { counted: 'true', errors: 'false' }],
  ['only the calls have the code', { counted: 'true', code: 'HTTP_404' }],
  ['each filter ignores its own value', { server: 'notes', outcome: 'tool_error', code: 'HTTP_404' }],
  ['an empty value is filtered by', { argument: '', fault: 'client' }],
  [
    'several values pass and others are excluded',
    { tool: { only: ['tool_1', 'tool_2'], except: [] }, outcome: { only: [], except: ['tool_error', 'ok'] } },
  ],
  ['a text is in the message', { q: 'LIMIT must' }],
  ['a text is in the code of an error', { q: 'http_4', counted: 'true' }],
  ['a text is in the name of a tool', { q: 'Tool_1', fault: 'none' }],
  ['a guard would have blocked the calls', { guard: 'would_block', counted: 'true' }],
];

describe('values of the call filters', () => {
  test.each(CASES)('the filter values are those of the calls when %s', async (_because, filters) => {
    const answer = CallValuesResponse.parse(await queries.callValues({ range, ...filters }));
    expect(answer.range).toEqual(USED);
    expect(answer.isWhole).toBe(true);
    expect(answer.total).toBe(selectCalls(filters).length);
    expect(answer.total).toBeGreaterThan(0);
    for (const { filter, values } of answer.values) {
      const expected = countBy(selectCalls({ ...filters, [filter]: undefined }), COLUMN[filter]);
      expect([filter, values]).toEqual([filter, expected.filter(({ value }) => value !== '').slice(0, 20)]);
    }
    expect(answer.values.map(({ filter }) => filter)).toEqual(SUGGESTED_FILTERS);
  });

  test.each(CASES)(
    'the bars of the histogram add up to the calls, by outcome and minute, when %s',
    async (_because, filters) => {
      const answer = CallHistogramResponse.parse(await queries.callHistogram({ range, ...filters }));
      expect(answer.range).toEqual(USED);
      const bucketMs = answer.bucketSeconds * 1_000;
      const startOf = ({ startedUs }: SeededCall) => Math.floor(startedUs / 1_000 / bucketMs) * bucketMs;
      const expected = countBy(selectCalls(filters), (call) =>
        JSON.stringify([call.outcome, call.fault, startOf(call)]),
      );
      const bars = answer.series.flatMap(({ outcome, fault, points }) =>
        points.map(([atMs, n]) => ({ value: JSON.stringify([outcome, fault, atMs]), count: n })),
      );
      const byText = (one: { value: string }, other: { value: string }) => (one.value < other.value ? -1 : 1);
      expect(bars.sort(byText)).toEqual(expected.sort(byText));
    },
  );

  test('the total of the filter values equals the length of the call list', async () => {
    const filters = { counted: 'true', errors: 'true', server: 'files' } as const;
    const { total } = await queries.callValues({ range, ...filters });
    expect((await queries.calls({ range, limit: 1_000, ...filters })).calls).toHaveLength(total);
  });
});

describe('error patterns', () => {
  test('the error patterns are the repeated messages, whatever filter on their parts is set', async () => {
    const patternOf = (c: SeededCall) =>
      JSON.stringify([
        c.server_name,
        c.tool_name,
        c.outcome,
        c.fault,
        c.error_code,
        c.error_message,
        c.error_argument,
      ]);
    const all = selectCalls({ counted: 'true', errors: 'true', server: 'notes' });
    const answer = await queries.callValues({
      ...{ range, counted: 'true', server: 'notes', message: 'not found', code: 'HTTP_404' },
    });
    const found = answer.patterns.map((p) => ({
      value: JSON.stringify([p.server, p.tool, p.outcome, p.fault, p.code, p.message, p.argument]),
      count: p.count,
    }));
    const expected = new Map(countBy(all, patternOf).map(({ value, count }) => [value, count]));
    expect(found.length).toBe(Math.min(20, expected.size));
    expect(found.map(({ count }) => count)).toEqual([...expected.values()].slice(0, 20));
    for (const { value, count } of found) expect([value, count]).toEqual([value, expected.get(value)]);
  });

  test('an error pattern leads to as many calls as it counts', async () => {
    const { patterns } = await queries.callValues({ range });
    const [first] = patterns;
    const { count = 0, ...filters } = first ?? {};
    const { calls: rows } = await queries.calls({ range, limit: 1_000, ...filters });
    expect(rows).toHaveLength(count);
    expect(count).toBeGreaterThan(1);
  });
});
