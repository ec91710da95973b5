// Truth of the contract over random calls in a real engine, against a recount of the same rows in plain TypeScript.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ContractTruthResponse } from '../../../../src/contract/contract-truth.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import {
  createCallRandom,
  createSeededCall,
  type SeededCall,
  toColumnTime,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const MINUTE = 60_000;
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE + 23_456;
const FROM = NOW - 120 * MINUTE;
const random = createCallRandom(41);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const DEFINITIONS = [
  { name: 'read', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
  { name: 'clock', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
  {
    name: 'move',
    description:
      'Moves a note. Fails with NOTE_LOCKED or VERSION_CONFLICT. Returns nothing if it is there already.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    inputSchema: { type: 'object', properties: { state: { type: 'string', enum: ['open', 'closed'] } } },
    outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
  { name: 'plain', inputSchema: { type: 'object' } },
];

interface ContractCall extends SeededCall {
  readonly fingerprint_key_id: string;
  readonly result_masked_fingerprint: string;
  readonly result_trait: string;
}

/** `read` returns the same unless `move` changed something; `clock` differs at once. */
function createCall(at: number): ContractCall {
  const tool_name = pick(['read', 'read', 'clock', 'move', 'move', 'plain']);
  const [outcome, fault, error_code] = pick([
    ...Array.from({ length: 7 }, () => ['ok', 'none', ''] as const),
    ['tool_error', 'server', 'NOTE_LOCKED'],
    ['tool_error', 'server', 'DISK_FULL'],
    ['tool_error', 'server', 'NOT_FOUND'],
    ['invalid_arguments', 'client', '-32602'],
  ] as const);
  const result = tool_name === 'read' ? '700' : String(500 + Math.floor(random() * 4));
  const state = pick(['=open', 'string:6']);
  return {
    ...createSeededCall({ startedUs: FROM * 1_000 + at * 1_000_000, session_id: `s-${at % 7}` }),
    ...{ tool_name, outcome, fault, error_code },
    ...(outcome === 'invalid_arguments' && { error_argument: pick(['state', 'other']) }),
    ...(tool_name === 'move' && { arguments_shape: JSON.stringify({ state }) }),
    arguments_fingerprint: pick(['0', '11', '11']),
    result_fingerprint: outcome === 'ok' ? result : '0',
    result_masked_fingerprint: outcome === 'ok' ? result : '0',
    result_trait: outcome === 'ok' && random() < 0.2 ? 'empty' : '',
    result_shape:
      outcome === 'ok' ? pick(['{"structuredContent":{"id":"string:3"}}', '{"content":[0]}', '']) : '',
    fingerprint_key_id: random() < 0.9 ? 'key-1' : 'key-2',
  };
}

const calls = Array.from({ length: 3_000 }, (_, at) => createCall(at));

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  await insertRows(
    engine.store,
    'tool_listings',
    DEFINITIONS.map((definition, at) => ({
      ...{ server_name: 'notes', server_version: '1.0.0', environment: 'production', origin: 'list' },
      ...{
        listed_at: toColumnTime(FROM * 1_000),
        catalogue_hash: 'c'.repeat(16),
        tool_name: definition.name,
      },
      ...{ definition: JSON.stringify(definition), definition_hash: String(at + 1) },
      ...{ trace_id: 'a', span_id: 'b' },
    })),
  );
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
});

afterAll(() => engine.stop());

const count = (tests: readonly boolean[]) => [
  tests.filter((one) => one).length,
  tests.filter((one) => !one).length,
];
const isOk = ({ outcome, error_in_result }: ContractCall) => outcome === 'ok' && error_in_result === 0;
const isSame = (one: ContractCall, other: ContractCall | undefined): other is ContractCall =>
  other !== undefined &&
  one.tool_name === other.tool_name &&
  one.arguments_fingerprint !== '0' &&
  one.arguments_fingerprint === other.arguments_fingerprint &&
  one.fingerprint_key_id === other.fingerprint_key_id;

/** Every session in order; `calls` are a second apart and never at the same time. */
const sessions = Array.from({ length: 7 }, (_, nth) => calls.filter((_, at) => at % 7 === nth));
const move = calls.filter(({ tool_name }) => tool_name === 'move');

/** Kept and broken by promise of `move`. */
function recountMove(): Record<string, number[]> {
  const around = sessions.flatMap((own) =>
    own.flatMap((call, at) => {
      const [before, after] = [own[at - 1], own[at + 1]];
      if (call.tool_name !== 'move' || !isOk(call) || before === undefined || !isSame(before, after))
        return [];
      return ['read', 'clock'].includes(before.tool_name) ? [[before, after] as const] : [];
    }),
  );
  const gone = around
    .filter(
      ([before, after]) =>
        isOk(before) && before.result_trait !== 'empty' && (isOk(after) || after.error_code === 'NOT_FOUND'),
    )
    .map(([, after]) => isOk(after) && after.result_trait !== 'empty');
  const repeats = sessions.flatMap((own) =>
    own.flatMap((call, at) => {
      const next = own[at + 1];
      if (call.tool_name !== 'move' || !isSame(call, next) || !isOk(call) || !isOk(next)) return [];
      return [call.result_fingerprint === next.result_fingerprint];
    }),
  );
  const errors = move.filter(({ outcome }) => outcome === 'tool_error');
  const argument = move
    .filter(
      ({ outcome, error_argument }) =>
        outcome === 'ok' || (outcome === 'invalid_arguments' && error_argument === 'state'),
    )
    .map(({ arguments_shape, outcome }) => arguments_shape.includes('=open') === (outcome === 'ok'));
  const results = move.filter((call) => isOk(call) && call.result_shape !== '');
  return {
    not_destructive: count(gone),
    idempotent: count(repeats),
    output_schema: count(results.map(({ result_shape }) => result_shape.includes('"id"'))),
    enum: count(argument),
    error_codes: count(errors.map(({ error_code }) => error_code === 'NOTE_LOCKED')),
    empty_if_none: count([
      ...errors.filter(({ error_code }) => error_code === 'NOT_FOUND').map(() => false),
      ...move
        .filter(({ outcome, result_trait }) => outcome === 'ok' && result_trait === 'empty')
        .map(() => true),
    ]),
  };
}

test('the promises of each tool agree with a recount of the raw rows', async () => {
  const range = { fromMs: FROM - MINUTE, toMs: NOW };
  const answer = ContractTruthResponse.parse(await queries.contractTruth({ range, server: 'notes' }));
  expect(answer.tools.map(({ tool }) => tool).sort()).toEqual(['clock', 'move', 'read']);
  expect(answer.sequence).toEqual({ calls: calls.length, isWhole: true });
  const found = answer.tools.find(({ tool }) => tool === 'move');
  const expected = recountMove();
  expect(
    Object.fromEntries((found?.records ?? []).map(({ kind, kept, broken }) => [kind, [kept, broken]])),
  ).toEqual(expected);
  for (const [kept = 0, broken = 0] of Object.values(expected)) {
    expect(kept).toBeGreaterThan(1);
    expect(broken).toBeGreaterThan(1);
  }
  const shares = Object.values(expected).map(([kept = 0, broken = 0]) => kept / (kept + broken));
  expect(found).toMatchObject({ promises: 6, tested: 6, broken: 6 });
  expect(found?.score).toBeCloseTo(shares.reduce((sum, share) => sum + share, 0) / shares.length, 12);
  const records = answer.tools.flatMap((one) => one.records);
  const tested = records.filter(({ kept, broken }) => kept + broken > 0);
  expect(answer).toMatchObject({ promises: records.length, tested: tested.length });
  expect(answer.broken).toBe(tested.filter(({ broken }) => broken > 0).length);
  for (const record of records) {
    expect(record.calls.length).toBe(Math.min(5, record.broken, record.calls.length));
    for (const call of record.calls) expect(calls.some(({ span_id }) => span_id === call.spanId)).toBe(true);
  }
});

test('with a tool, only it is returned, and the score of the server stays', async () => {
  const range = { fromMs: FROM - MINUTE, toMs: NOW };
  const all = await queries.contractTruth({ range, server: 'notes' });
  const one = await queries.contractTruth({ range, server: 'notes', tool: 'read' });
  expect(one).toEqual({ ...all, tools: all.tools.filter(({ tool }) => tool === 'read') });
});
