// The list of loops, and what a session's page says of them, over rows that the test wrote.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LoopsQuery, LoopsResponse } from '../../../../src/contract/loops.ts';
import type { Queries, ResolvedQuery } from '../../../../src/contract/queries.ts';
import type { LoopRecord } from '../../../../src/core/model/loop-record.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { writeLoops } from '../../../../src/service/store/loop-rows.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';
import { columnTime, decimalFingerprint } from '../../detection/detection-harness.ts';

const DAY_MS = 86_400_000;
/** Noon of today: rows of a day that is long gone would leave the engine while they are asked for. */
const NOW = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const MINUTE_US = 60_000_000;
const range = { fromMs: NOW - DAY_MS, toMs: NOW };

let engine: TestEngine;
let queries: Queries;

/** So many minutes from now, with microseconds. */
const isoMinutesFromNow = (minutes: number) =>
  new Date(NOW + minutes * 60_000).toISOString().replace('Z', '000Z');

/** A loop of ten minutes that began so many minutes ago. */
function makeLoop(id: string, minutesAgo: number, over: Partial<LoopRecord> = {}): LoopRecord {
  const onsetUs = NOW * 1000 - minutesAgo * MINUTE_US;
  return {
    id,
    server: 'notes',
    environment: 'production',
    sessionId: `session ${id}`,
    sessionSource: 'connection',
    client: 'cursor',
    planId: 'plan-1',
    kind: 'repeat',
    severity: 'confirmed',
    state: 'over',
    tools: ['search'],
    period: 1,
    repeats: 7,
    wastedCalls: 6,
    wastedUs: 90_500,
    wastedTokens: 3_000,
    cause: 'agent',
    causeSentence: '',
    stormId: '',
    treeId: '',
    treeSessions: 0,
    onsetUs,
    lastUs: onsetUs + 10 * MINUTE_US,
    detectedUs: onsetUs + MINUTE_US,
    sentence: 'search was called 7 times.',
    evidence: [],
    thresholds: { repeats: 4 },
    detectorVersion: 1,
    withdrawn: false,
    ...over,
  };
}

const LOOPS = [
  makeLoop('a1', 10, {
    state: 'active',
    server: 'files',
    tools: ['read', 'write'],
    kind: 'cycle',
    period: 2,
  }),
  makeLoop('b2', 20, { environment: 'staging', client: 'claude', planId: 'plan-2', severity: 'suspected' }),
  makeLoop('c3', 30, { severity: 'note' }),
  makeLoop('d4', 60 * 24 + 5, { stormId: 'storm-1', detectorVersion: 2 }),
  makeLoop('e5', 60 * 24 + 15),
  makeLoop('f6', 40, { sessionId: 'shared' }),
  makeLoop('f7', 40, { sessionId: 'shared' }),
];

const FRESHNESS = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });

beforeAll(async () => {
  engine = await startTestEngine();
  queries = createQueries({
    store: engine.store,
    clock: () => NOW,
    freshness: FRESHNESS,
  });
  await writeLoops(
    engine.store,
    LOOPS.map((record) => ({ record, revision: 1 })),
  );
}, 60_000);

afterAll(() => engine.stop());

async function getLoops(over: Partial<ResolvedQuery<LoopsQuery>> = {}): Promise<LoopsResponse> {
  const { severity, limit } = LoopsQuery.parse({});
  return LoopsResponse.parse(await queries.loops({ range, severity, limit, ...over }));
}

const idsOf = ({ loops }: LoopsResponse): string[] => loops.map(({ id }) => id);

describe('list of loops', () => {
  test('a loop in the list has all its stored fields', async () => {
    const { loops } = await getLoops({ state: 'active' });
    expect(loops).toEqual([
      {
        id: 'a1',
        sessionId: 'session a1',
        source: 'connection',
        server: 'files',
        environment: 'production',
        client: 'cursor',
        planId: 'plan-1',
        kind: 'cycle',
        severity: 'confirmed',
        state: 'active',
        tools: ['read', 'write'],
        period: 2,
        repeats: 7,
        wastedCalls: 6,
        wastedMs: 90.5,
        wastedTokens: 3_000,
        wastedCost: null,
        costCurrency: null,
        cause: 'agent',
        causeSentence: '',
        stormId: '',
        treeId: '',
        treeSessions: 0,
        becameLoop: null,
        feedback: null,
        onset: isoMinutesFromNow(-10),
        lastAt: isoMinutesFromNow(0),
        detectedAt: isoMinutesFromNow(-9),
        sentence: 'search was called 7 times.',
        evidence: [],
        thresholds: { repeats: 4 },
        detectorVersion: 1,
      },
    ]);
  });

  test('a loop has a cost if a token price is set and the tokens of its calls are known', async () => {
    const tokenPrice = { perMillion: 2.5, currency: 'EUR' };
    const priced = createQueries({ store: engine.store, clock: () => NOW, freshness: FRESHNESS, tokenPrice });
    const { loops } = await priced.loops({ range, severity: 'suspected', limit: 100 });
    const costs = loops.map(({ id, wastedCost, costCurrency }) => [id, wastedCost, costCurrency]);
    expect(costs).toContainEqual(['d4', 0.0075, 'EUR']);
    expect(costs).toContainEqual(['a1', null, null]);
  });

  test.each<[string, Partial<ResolvedQuery<LoopsQuery>>, string[], string]>([
    [
      'nothing',
      {},
      ['a1', 'b2', 'f7', 'f6', 'd4'],
      'a note is no loop, and one that ended before the range is out',
    ],
    ['server', { server: 'files' }, ['a1'], 'it is on one server'],
    ['environment', { environment: 'staging' }, ['b2'], 'it is in one environment'],
    ['client', { client: 'claude' }, ['b2'], 'one client went round'],
    ['plan', { plan: 'plan-2' }, ['b2'], 'it is part of one plan'],
    ['tool', { tool: 'write' }, ['a1'], 'any of its tools will do'],
    ['kind', { kind: 'cycle' }, ['a1'], 'it has one kind'],
    ['storm', { storm: 'storm-1' }, ['d4'], 'it is a part of one storm'],
    ['state', { state: 'over' }, ['b2', 'f7', 'f6', 'd4'], 'the others have ended'],
    ['session', { session: 'shared' }, ['f7', 'f6'], 'one session can have two'],
    ['severity', { severity: 'confirmed' }, ['a1', 'f7', 'f6', 'd4'], 'a suspicion is less'],
    [
      'weakest severity',
      { severity: 'note', server: 'notes', environment: 'production' },
      ['c3', 'f7', 'f6', 'd4'],
      'notes can be asked for',
    ],
    ['a version that no session has', { version: '9.9.9' }, [], 'no session ran it'],
  ])('the loops filtered by %s are the ones that match', async (_name, filters, expected, because) => {
    expect(idsOf(await getLoops(filters)), because).toEqual(expected);
  });

  test('the totals of the loop list cover all pages, and each loop is listed once', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await getLoops({ limit: 2, ...(cursor !== undefined && { cursor }) });
      expect([page.total, page.active, page.wastedCalls]).toEqual([5, 1, 30]);
      seen.push(...idsOf(page));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(['a1', 'b2', 'f7', 'f6', 'd4']);
  });

  test('the list of loops refuses a cursor of another list', async () => {
    const other = Buffer.from(JSON.stringify(['calls', 0, 1, 2, 'aa'])).toString('base64url');
    await expect(getLoops({ cursor: other })).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  test('the list of loops has the newest revision of each loop, and no withdrawn one', async () => {
    const record = makeLoop('aa', 15, { server: 'again' });
    await writeLoops(engine.store, [{ record, revision: 1 }]);
    await writeLoops(engine.store, [{ record: { ...record, repeats: 9 }, revision: 2 }]);
    expect((await getLoops({ server: 'again' })).loops.map(({ repeats }) => repeats)).toEqual([9]);
    await writeLoops(engine.store, [{ record: { ...record, withdrawn: true }, revision: 3 }]);
    expect((await getLoops({ server: 'again' })).loops).toEqual([]);
  });
});

describe('loops of a session', () => {
  const call = (session: string, at: number, answer: string) => ({
    trace_id: `${session}${at}`.padStart(32, '0'),
    span_id: String(at).padStart(16, '0'),
    server_name: 'shop',
    session_id: session,
    session_source: 'connection',
    session_confidence: 'medium',
    side: 'server',
    method: 'tools/call',
    tool_name: 'look',
    started_at: columnTime((NOW - 3_600_000 + at * 1_000) * 1_000),
    duration_us: 1_000,
    outcome: 'ok',
    fault: 'none',
    fingerprint_key_id: 'k',
    arguments_fingerprint: '7',
    arguments_masked_fingerprint: '7',
    result_fingerprint: decimalFingerprint(answer),
    result_masked_fingerprint: decimalFingerprint(answer),
    result_similarity: decimalFingerprint(answer),
    result_bytes: 500,
    ingest_node: 'n',
    ingested_at: columnTime(NOW * 1_000),
  });

  test('a session of forty calls explains why it is no loop, and one of ten does not', async () => {
    const calls = Array.from({ length: 40 }, (_, at) => call('a', at, String(1_000 + at)));
    const few = Array.from({ length: 10 }, (_, at) => call('b', 100 + at, String(at + 1)));
    await insertRows(engine.store, 'calls', [...calls, ...few]);
    const long = await queries.session({ id: 'a', limit: 5 });
    expect(long.loops).toEqual([]);
    expect(long.consideredNotFlagged.whyNot).toMatch(/^40 calls, but no loop: 100 %/);
    expect(long.consideredNotFlagged.notes.map(({ kind }) => kind)).toEqual(['budget']);
    const short = await queries.session({ id: 'b', limit: 5 });
    expect(short.consideredNotFlagged).toEqual({ whyNot: null, limits: null, notes: [] });
  });

  test('a session names the calls that could not be checked for loops', async () => {
    await insertRows(
      engine.store,
      'calls',
      Array.from({ length: 3 }, (_, at) => call('c', at, '')),
    );
    const { consideredNotFlagged } = await queries.session({ id: 'c', limit: 5 });
    expect(consideredNotFlagged.limits).toMatch(/^3 of 3 calls have no answer fingerprint/);
  });

  test('a session lists its loops, and its count of loops excludes notes', async () => {
    await insertRows(engine.store, 'calls', [call('d', 1, '1')]);
    const of = { server: 'shop', sessionId: 'd' };
    const records = [
      makeLoop('d1', 50, of),
      makeLoop('d2', 30, of),
      makeLoop('d3', 20, { ...of, severity: 'note' }),
    ];
    await writeLoops(
      engine.store,
      records.map((record) => ({ record, revision: 1 })),
    );
    const { session, loops } = await queries.session({ id: 'd', limit: 5 });
    expect([session.loops, loops.map(({ id }) => id)]).toEqual([2, ['d1', 'd2']]);
  });
});
