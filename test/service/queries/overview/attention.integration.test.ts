// The attention list: its totals against an oracle over the same rows, its reasons against rows made for them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AttentionItem,
  type AttentionKind,
  AttentionResponse,
} from '../../../../src/contract/overview.ts';
import type { Queries } from '../../../../src/contract/queries.ts';
import type { LoopRecord } from '../../../../src/core/model/loop-record.ts';
import {
  type StoredAdvice,
  writeAdvice,
  writeDismissal,
} from '../../../../src/service/queries/advice/advice-repository.ts';
import {
  type AttentionByKind,
  describeMissingTool,
  describeSessionAttention,
  describeUncalledAttention,
  pickAttention,
} from '../../../../src/service/queries/overview/describe-attention.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { writeLoops } from '../../../../src/service/store/loop-rows.ts';
import {
  createSeededCall,
  createSeededCalls,
  type SeededCall,
  toColumnTime,
  toStoredRow,
} from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { failedCalls, groupBy, listSessions, sessionKey } from '../../../support/oracle/call-stats.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE;
const RANGE = { fromMs: NOW - 24 * HOUR, toMs: NOW };
const REFUSED = { outcome: 'tool_error', fault: 'server', error_code: 'CONFLICT' } as const;

/** Calls of one session, a minute apart, the first so many minutes ago. */
function session(
  session_id: string,
  minutesAgo: number,
  calls: readonly Partial<SeededCall>[],
): SeededCall[] {
  return calls.map((over, at) =>
    createSeededCall({
      server_name: 'desk',
      session_id,
      startedUs: (NOW - (minutesAgo - at) * MINUTE) * 1_000,
      ...over,
    }),
  );
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

const SCRIPTED_CALLS = [
  ...session('all wrong', 300, [
    ...times(3, { ...REFUSED, tool_name: 'move' }),
    { ...REFUSED, tool_name: 'copy' },
  ]),
  ...session('left', 200, [{}, {}, { ...REFUSED, tool_name: 'search', error_code: 'HTTP_429' }]),
  ...session('long', 900, times(42, {})),
  ...session('asked for it', 100, [
    ...times(2, {
      tool_name: 'search_nots',
      outcome: 'unknown_tool',
      fault: 'client',
      error_code: '-32602',
    } as const),
    {},
  ]),
  ...times(6, 0).flatMap((_, at) =>
    session(`boot ${at}`, 60 - at, [{ method: 'initialize', tool_name: '', client_name: 'booter' }]),
  ),
  // A client that tries how to connect; its sessions never call anything, and nothing is wrong with them.
  ...times(6, 0).flatMap((_, at) =>
    session(`probe ${at}`, 60 - at, [
      { method: 'initialize', tool_name: '', client_name: 'mcp-remote-fallback-test' },
    ]),
  ),
];
const SEEDED = createSeededCalls({ seed: 31, count: 900, fromMs: NOW - 20 * HOUR, toMs: NOW });

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', [...SCRIPTED_CALLS, ...SEEDED].map(toStoredRow));
  await insertRows(engine.store, 'tool_listings', [
    {
      ...{ server_name: 'desk', server_version: '1.0.0', environment: 'production', origin: 'list' },
      listed_at: toColumnTime((NOW - 20 * HOUR) * 1_000),
      ...{ catalogue_hash: 'c', tool_name: 'search_notes', definition: '{"name":"search_notes"}' },
      ...{ definition_hash: '1', trace_id: 'a', span_id: 'b' },
    },
  ]);
  const onsetUs = (NOW - 880 * MINUTE) * 1_000;
  const loop: Omit<LoopRecord, 'id' | 'sessionId' | 'sentence'> = {
    ...{
      server: 'desk',
      environment: 'production',
      sessionSource: 'connection',
      client: 'cursor',
      planId: '',
    },
    ...{
      kind: 'repeat',
      severity: 'confirmed',
      state: 'over',
      tools: ['search_notes'],
      period: 1,
      repeats: 7,
    },
    ...{ wastedCalls: 6, wastedUs: 1, onsetUs, lastUs: onsetUs + 1_000_000, detectedUs: onsetUs },
    ...{
      evidence: [],
      thresholds: {},
      detectorVersion: 1,
      wastedTokens: 0,
      cause: 'agent',
      causeSentence: '',
      stormId: '',
      treeId: '',
      treeSessions: 0,
      withdrawn: false,
    },
  };
  await writeLoops(
    engine.store,
    [
      { ...loop, id: 'a1', sessionId: 'long', sentence: 'search_notes was called 7 times.' },
      { ...loop, id: 'a2', sessionId: 'long', sentence: 'A smaller one.', wastedCalls: 2 },
      { ...loop, id: 'a3', sessionId: 'left', sentence: 'Only a note.', severity: 'note' as const },
    ].map((record) => ({ record, revision: 1 })),
  );
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
});

afterAll(() => engine?.stop());

const getAttention = async (filters: object = {}) =>
  AttentionResponse.parse(await queries.attention({ range: RANGE, ...filters }));

describe('items for attention', () => {
  test('each item for attention has its reason, and a session is listed once', async () => {
    const { items } = await getAttention({ server: 'desk' });
    const told = items.filter(({ kind }) => kind !== 'advice');
    expect(
      told.map(({ kind, sessionId, tool, why, count }) => [kind, sessionId || tool, why, count]),
    ).toEqual([
      ['looping', 'long', 'search_notes was called 7 times.', 6],
      ['all_failed', 'all wrong', 'All 4 calls failed: move with CONFLICT 3 times.', 4],
      ['missing_tool', 'search_nots', "Called twice, but doesn't exist. Closest match: search_notes.", 2],
      ['ended_after_error', 'left', 'Ended in an error after 3 calls: search with HTTP_429.', 3],
      ['zero_calls', '', '6 sessions connected in rapid succession without a tool call.', 6],
    ]);
    expect(items.filter(({ kind }) => kind === 'zero_calls').map(({ client }) => client)).toEqual(['booter']);
  });

  test.each([{}, { server: 'desk' }, { server: 'notes' }, { client: 'cursor' }, { tool: 'tool_1' }])(
    'the totals of the attention list agree with the oracle, by %j',
    async (filters) => {
      const { totals } = await getAttention(filters);
      const rows = [...SCRIPTED_CALLS, ...SEEDED];
      const own = listSessions(rows, RANGE, filters);
      const endedOnError = [...groupBy(rows, sessionKey)].filter(([key, all]) => {
        const counted = all.filter(
          (c) => c.side === 'server' && c.method === 'tools/call' && c.outcome !== 'input_required',
        );
        const last = counted.reduce<SeededCall | undefined>(
          (newest, call) => (newest && newest.startedUs > call.startedUs ? newest : call),
          undefined,
        );
        return own.some((one) => one.key === key) && last !== undefined && failedCalls([last]).length === 1;
      });
      expect(totals).toMatchObject({
        all_failed: own.filter((one) => one.calls > 0 && one.errors === one.calls).length,
        over_thirty: own.filter((one) => one.calls > 30).length,
        ended_after_error: endedOnError.length,
        looping: 'tool' in filters || ('server' in filters && filters.server === 'notes') ? 0 : 1,
      });
    },
  );

  test('the attention list has the advice of the last run that is neither old, dismissed nor out of range', async () => {
    const finding = { rule: 'TD012', tool: 'search_notes', finding: 'limit has no bound.', callsLost: 55 };
    const seen = (id: string, minutesAgo: number, lost = 55): StoredAdvice => ({
      ...{ id, server: 'remembered', firstSeenMs: 0, lastSeenMs: NOW - minutesAgo * MINUTE },
      ...{ definitionHash: '1', serverVersion: '' },
      // Of a finding only this is read here.
      finding: { ...finding, callsLost: lost } as StoredAdvice['finding'],
    });
    const writing = { writer: engine.store, nowMs: NOW };
    await writeAdvice(
      [seen('small', 30, 3), seen('large', 30), seen('old', 121), seen('aside', 30), seen('free', 30, 0)],
      writing,
    );
    await writeDismissal({ id: 'aside', reason: 'known', isWithdrawn: false }, writing);
    const idsOf = async (filters: object) =>
      (await getAttention({ server: 'remembered', ...filters })).items.map(({ id, count }) => [id, count]);
    expect(await idsOf({})).toEqual([
      ['large', 55],
      ['small', 3],
    ]);
    expect(await idsOf({ client: 'cursor' })).toEqual([]);
    expect(await idsOf({ range: { fromMs: NOW - 48 * HOUR, toMs: NOW - 24 * HOUR } })).toEqual([]);
  });

  test('the attention list of a quiet range is empty', async () => {
    const { items, totals } = await getAttention({ server: 'nobody' });
    expect(items).toEqual([]);
    expect(Object.values(totals).every((count) => count === 0)).toBe(true);
  });
});

const item = (kind: AttentionKind, sessionId: string): AttentionItem => ({
  ...{ kind, server: 's', sessionId, sessionSource: 'host', tool: '', client: '', id: '' },
  ...{ why: '', count: 1, lastAt: null },
});
type Sessions = Partial<Record<AttentionKind, readonly string[]>>;
const parts = (some: Sessions): AttentionByKind => {
  const of = (kind: AttentionKind) => (some[kind] ?? []).map((id) => item(kind, id));
  return {
    storm: of('storm'),
    looping: of('looping'),
    all_failed: of('all_failed'),
    advice: of('advice'),
    missing_tool: of('missing_tool'),
    ended_after_error: of('ended_after_error'),
    zero_calls: of('zero_calls'),
    over_thirty: of('over_thirty'),
  };
};

describe('selection of sessions', () => {
  test.each<[Sessions, string[], string]>([
    [{}, [], 'there may be nothing'],
    [
      { looping: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], over_thirty: ['z'] },
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'z'],
      'the worst of each kind has its place, and eight are enough',
    ],
    [
      { looping: ['a'], all_failed: ['a', 'b'] },
      ['a', 'b'],
      'a session stands there once, as what it is first',
    ],
    [{ over_thirty: ['x'], looping: ['y'] }, ['y', 'x'], 'like stands beside like, in one order'],
  ])('the sessions selected for attention from %j are %j, because %s', (some, expected) => {
    expect(pickAttention(parts(some)).map(({ sessionId }) => sessionId)).toEqual(expected);
  });

  test('every item for attention that is not about a session is kept, however many there are', () => {
    expect(pickAttention(parts({ advice: ['', ''] }))).toHaveLength(2);
  });
});

const SESSION_STATS = {
  calls: 4,
  errors: 4,
  tools: 2,
  last: { tool: 'a', code: 'X' },
  topFailure: undefined,
};

test.each([
  [
    describeSessionAttention('all_failed', { ...SESSION_STATS, calls: 1 }),
    'Its only call failed: a with X.',
    'one is no "all"',
  ],
  [
    describeSessionAttention('all_failed', {
      ...SESSION_STATS,
      topFailure: { tool: 'a', code: 'X', count: 4 },
    }),
    'All 4 calls failed: a with X.',
    'what is always the same needs no number',
  ],
  [
    describeSessionAttention('all_failed', { ...SESSION_STATS, last: undefined }),
    'All 4 calls failed.',
    'calls that are no longer kept tell nothing',
  ],
  [
    describeSessionAttention('ended_after_error', { ...SESSION_STATS, last: { tool: 'a', code: '' } }),
    'Ended in an error after 4 calls: a without a code.',
    'an empty code is said',
  ],
  [
    describeSessionAttention('over_thirty', { ...SESSION_STATS, calls: 1_204, errors: 0, tools: 1 }),
    '1\u202f204 calls to one tool, none failed.',
    'thousands stand apart',
  ],
  [describeMissingTool(1, undefined), "Called once, but doesn't exist.", 'no name is near'],
  [
    describeUncalledAttention({ sessions: 9, booting: 0 }),
    '9 sessions connected without a tool call.',
    'they took their time',
  ],
  [
    describeUncalledAttention({ sessions: 9, booting: 6 }),
    '6 of 9 sessions connected in rapid succession without a tool call.',
    'some of them did not',
  ],
])('the sentence for attention reads as expected: %s', (said, expected, _because) => {
  expect(said).toBe(expected);
});
