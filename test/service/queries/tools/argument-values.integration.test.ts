// What is known of arguments and results without their values, and what more where they are captured: defaults, numbers of
// values, JSON in texts, names of values. Rows are written here and counted by hand.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AdviceResponse } from '../../../../src/contract/advice.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import { ToolResponse } from '../../../../src/contract/tool.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { countValues } from '../../../../src/service/queries/tools/captured-values.ts';
import { toPathFacts } from '../../../../src/service/queries/tools/path-facts.ts';
import { createSeededCall, toColumnTime, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000;
const RANGE = { fromMs: NOW - 24 * HOUR, toMs: NOW };
const CALLS = 60;
const STATES = ['open', 'closed', 'stale'] as const;

const TOOL = {
  name: 'search_orders',
  description: 'Searches the orders of a shop. Use it to find one by its state; not for customers.',
  inputSchema: {
    type: 'object',
    properties: {
      state: { type: 'string', description: 'which ones' },
      limit: { type: 'integer', default: 20 },
      deep: { type: 'boolean', default: false },
      since: { type: 'string' },
    },
  },
};

let engine: TestEngine;
let queries: Queries;

/** Call `at`: three states in turn; half leave out the limit, a quarter send its default; on one server some have a date. */
function makeArgumentCall(server_name: string, at: number) {
  const isShort = at % 2 === 0;
  const limit = isShort ? {} : { limit: at % 4 === 1 ? '=20' : 'int' };
  const since = server_name === 'dated' && at % 3 === 0 ? { since: 'string:10' } : {};
  const call = createSeededCall({
    startedUs: (NOW - HOUR - at * 60_000) * 1_000,
    server_name,
    tool_name: 'search_orders',
    session_id: `s-${at % 5}`,
    arguments_fingerprint: String(1_000 + at),
    arguments_shape: JSON.stringify({ state: 'string:5', ...limit, deep: at % 3 === 0, ...since }),
    result_shape: `{"content":[1,{"type":"=text","text":"${at < 50 ? 'json' : 'string'}:40"}]}`,
  });
  return {
    ...toStoredRow(call),
    arguments_masked_fingerprint: 'since' in since ? '7' : String(1_000 + at),
    fingerprint_key_id: 'k',
    argument_fingerprints: {
      state: String(1 + (at % 3)),
      ...(isShort ? {} : { limit: String(at % 4) }),
      deep: String(at % 3 === 0 ? 1 : 2),
      ...('since' in since && { since: '9' }),
    },
  };
}

function makePayload(row: object & { readonly trace_id?: string; readonly span_id?: string }, at: number) {
  return {
    trace_id: row.trace_id,
    span_id: row.span_id,
    started_at: toColumnTime((NOW - HOUR - at * 60_000) * 1_000),
    server_name: 'captured',
    arguments:
      at === 0 ? '{"state":"op…' : JSON.stringify({ state: STATES[at % 3], limit: 20, deep: at % 3 === 0 }),
    result: '',
    truncated: at === 0 ? 1 : 0,
  };
}

beforeAll(async () => {
  engine = await startTestEngine();
  queries = createQueries({
    store: engine.store,
    clock: () => NOW,
    freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
  });
  const numbers = Array.from({ length: CALLS }, (_, at) => at);
  for (const server of ['plain', 'dated', 'captured']) {
    const rows = numbers.map((at) => makeArgumentCall(server, at));
    await insertRows(engine.store, 'calls', rows);
    if (server === 'captured') await insertRows(engine.store, 'payloads', rows.map(makePayload));
    await insertRows(engine.store, 'tool_listings', [
      {
        server_name: server,
        server_version: '1.0.0',
        environment: 'production',
        listed_at: toColumnTime((NOW - 20 * HOUR) * 1_000),
        origin: 'list',
        catalogue_hash: 'c',
        tool_name: TOOL.name,
        definition: JSON.stringify(TOOL),
        definition_hash: '1',
        trace_id: 'a',
        span_id: 'b',
      },
    ]);
  }
}, 120_000);

afterAll(() => engine.stop());

const getTool = async (server: string) =>
  ToolResponse.parse(await queries.tool({ id: 'search_orders', range: RANGE, server }));
const argumentOf = ({ arguments: all }: ToolResponse, path: string) => all.find((one) => one.path === path);
const adviceOf = async (server: string, rule: string) =>
  AdviceResponse.parse(await queries.advice({ range: RANGE, server, state: 'open' })).advice.filter(
    (row) => row.rule === rule,
  );

describe('argument', () => {
  test('an argument counts the calls that omit it and those that send its default', async () => {
    const answer = await getTool('plain');
    expect(argumentOf(answer, 'limit')).toMatchObject({
      used: { value: 0.5, n: 60 },
      default: { omitted: 30, sent: 15 },
      values: [{ value: '20', count: 15 }],
    });
    expect(argumentOf(answer, 'deep')).toMatchObject({
      default: { omitted: 0, sent: 40 },
      values: [
        { value: 'false', count: 40 },
        { value: 'true', count: 20 },
      ],
    });
    expect(argumentOf(answer, 'state')?.default).toBeNull();
  });

  test('an argument counts its distinct values without naming them if no payloads are captured', async () => {
    expect(argumentOf(await getTool('plain'), 'state')).toMatchObject({
      distinct: { values: 3, calls: 60, mostFrequent: 20, isExact: true },
      values: [],
    });
  });

  test('an argument with masked values has a lower bound of distinct values, and advice uses the other calls', async () => {
    const answer = await getTool('dated');
    expect(argumentOf(answer, 'state')?.distinct).toEqual({
      values: 3,
      calls: 60,
      mostFrequent: 20,
      isExact: false,
    });
    expect(argumentOf(answer, 'since')?.distinct).toMatchObject({ values: 1, calls: 20, isExact: false });
    // Every third call has a date, so that one of the three states is in no call that is sure.
    expect(await adviceOf('dated', 'TD009')).toMatchObject([{ counts: { calls: 40, distinctValues: 2 } }]);
    expect(await adviceOf('dated', 'TD010')).toEqual([]);
  });

  test('an argument names its values if payloads are captured, except for truncated ones', async () => {
    const answer = await getTool('captured');
    expect(argumentOf(answer, 'state')?.values).toEqual([
      { value: 'closed', count: 20 },
      { value: 'stale', count: 20 },
      { value: 'open', count: 19 },
    ]);
    const [plain] = await adviceOf('plain', 'TD009');
    expect(plain?.suggestion.edits[0]?.after).toEqual(['<value 1>', '<value 2>', '<value 3>']);
    const [named] = await adviceOf('captured', 'TD009');
    expect(new Set(named?.suggestion.edits[0]?.after as string[])).toEqual(new Set(STATES));
  });
});

describe('results', () => {
  test('results that are JSON inside a text are counted, and advice uses the count', async () => {
    expect((await getTool('plain')).results).toEqual({ n: 60, structured: 0, json: 50 });
    expect(await adviceOf('plain', 'TD024')).toMatchObject([{ counts: { results: 60, jsonText: 50 } }]);
  });
});

describe('values of payloads', () => {
  test.each<[string[], Record<string, Record<string, number>>, string]>([
    [['{"a":"x"}', '{"a":"x","b":1}'], { a: { x: 2 }, b: { 1: 1 } }, 'they are counted by name'],
    [['{"a":{"b":1}}', '{"a":"x"}'], {}, 'a structure is no value to choose'],
    [[JSON.stringify({ a: 'x'.repeat(65) })], {}, 'a long text is written, not chosen'],
    [['{"a":', '[1]', '3'], {}, 'what is no object has no arguments'],
    [Array.from({ length: 21 }, (_, at) => `{"a":${at}}`), {}, 'twenty-one are no choice'],
  ])('the argument values of %j are %j, because %s', (payloads, expected) => {
    const found = [...countValues(payloads)].map(([name, values]) => [name, Object.fromEntries(values)]);
    expect(Object.fromEntries(found)).toEqual(expected);
  });
});

describe('flattened shape', () => {
  test.each<[string, string, object, string]>([
    ['{"a":"json:12"}', 'a', { types: { string: 3 }, longestText: 12 }, 'JSON in a text is a text'],
    [
      '{"a":"=20"}',
      'a',
      { types: { int: 3 }, longestText: 0, values: { 20: 3 } },
      'a declared number is a number',
    ],
    ['{"a":"=1.5"}', 'a', { types: { number: 3 } }, 'a declared fraction is one'],
    ['{"a":"=main"}', 'a', { types: { string: 3 }, longestText: 4 }, 'a declared word is a text'],
    ['{"a":true}', 'a', { types: { boolean: 3 }, values: { true: 3 } }, 'booleans are said'],
  ])('the shape %s describes %s as %o, because %s', (shape, path, facts) => {
    expect(toPathFacts([{ shape, calls: 3 }]).get(path)).toMatchObject(facts);
  });
});
