// The lists: sessions, one session, and calls; page by page, while new rows arrive, against the same rows in memory.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallRow, CallsResponse } from '../../../src/contract/calls.ts';
import type { Queries } from '../../../src/contract/queries.ts';
import { SessionResponse, SessionsResponse } from '../../../src/contract/sessions.ts';
import { createQueries } from '../../../src/service/queries/queries.ts';
import {
  createSeededCall,
  createSeededCalls,
  type SeededCall,
  toColumnTime,
  toStoredRow,
} from '../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';
import { isWithin, listSessions, type OracleFilters } from '../../support/oracle/call-stats.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * 60_000 + 23_456;
const DAY_BACK = { fromMs: NOW - 24 * HOUR, toMs: NOW };
/** What a day back is rounded to. */
const USED = {
  fromMs: Math.floor(DAY_BACK.fromMs / 60_000) * 60_000,
  toMs: Math.ceil(NOW / 60_000) * 60_000,
};

/** Small pages have many borders. */
const CALLS_OF_A_PAGE = propertyRuns({ quick: 297, full: 97 });
const SESSIONS_OF_A_PAGE = propertyRuns({ quick: 37, full: 7 });

const TEMPLATE = 'limit must be <= <n>';
const LONG = `${'no such note: '.repeat(40)}7`;

let engine: TestEngine;
let queries: Queries;
const MODERN = { protocol_version: '2026-07-28', transport: 'http' };
const calls: SeededCall[] = createSeededCalls({
  seed: 7,
  count: 1_200,
  fromMs: NOW - 26 * HOUR,
  toMs: NOW,
}).map((call, at) => ({
  ...call,
  ...(call.fault === 'none' ? {} : errorTextOf(at)),
  ...(at % 9 === 0 && MODERN),
}));

/** Failures with and without words; one message begins as another goes on. */
function errorTextOf(at: number): Partial<SeededCall> {
  const error_message = ['', TEMPLATE, `${TEMPLATE} in filter`, LONG][at % 4] ?? '';
  return { error_message, error_argument: at % 3 === 0 ? 'filter.limit' : '' };
}

async function storeCalls(...more: SeededCall[]): Promise<void> {
  calls.push(...more);
  await insertRows(engine.store, 'calls', more.map(toStoredRow));
}

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', calls.map(toStoredRow));
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness });
});

afterAll(() => engine.stop());

const identityOf = (call: SeededCall) => `${call.trace_id}/${call.span_id}`;
const shownIdentity = (row: CallRow) => `${row.traceId}/${row.spanId}`;
const newestFirst = (a: SeededCall, b: SeededCall) =>
  b.startedUs - a.startedUs || (identityOf(b) < identityOf(a) ? -1 : 1);

describe('list of calls', () => {
  test('the list of calls has every request of the range, newest first', async () => {
    const answer = CallsResponse.parse(await queries.calls({ range: DAY_BACK, limit: 1_000 }));
    const expected = calls.filter((call) => isWithin(call, USED)).sort(newestFirst);
    expect(answer.range).toEqual(USED);
    expect(answer.calls.map(shownIdentity)).toEqual(expected.slice(0, 1_000).map(identityOf));
    expect(answer.nextCursor).not.toBeNull();
  });

  test('the list of calls returns the stored values in the units of the contract', async () => {
    const call = createSeededCall({
      startedUs: NOW * 1_000 - 5_000_001,
      server_name: 'exact',
      duration_us: 1_234_567,
      arguments_fingerprint: '255',
      result_fingerprint: '18446744073709551615',
      outcome: 'tool_error',
      fault: 'client',
      error_code: 'HTTP_404',
      error_argument: 'filter.limit',
      error_in_result: 1,
    });
    await storeCalls(call);
    const { calls: rows } = await queries.calls({ range: DAY_BACK, limit: 10, server: 'exact' });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      startedAt: `${toColumnTime(call.startedUs).replace(' ', 'T')}Z`,
      durationMs: 1_234.567,
      argumentsFingerprint: '00000000000000ff',
      resultFingerprint: 'ffffffffffffffff',
      outcome: 'tool_error',
      fault: 'client',
      code: 'HTTP_404',
      errorArgument: 'filter.limit',
      errorInResult: true,
      sessionSource: 'connection',
      side: 'server',
    });
  });

  test.each<[string, object, (call: SeededCall) => boolean]>([
    ['server', { server: 'files' }, (c) => c.server_name === 'files'],
    ['environment', { environment: 'staging' }, (c) => c.environment === 'staging'],
    ['client', { client: 'claude' }, (c) => c.client_name === 'claude'],
    ['tool', { tool: 'tool_1' }, (c) => c.tool_name === 'tool_1'],
    ['version', { version: '1.1.0' }, (c) => c.server_version === '1.1.0'],
    ['plan', { plan: 'plan-10' }, (c) => c.plan_id === 'plan-10'],
    ['method', { method: 'tools/list' }, (c) => c.method === 'tools/list'],
    ['outcome', { outcome: 'timeout' }, (c) => c.outcome === 'timeout'],
    ['code', { code: 'HTTP_404' }, (c) => c.error_code === 'HTTP_404'],
    ['an empty code', { code: '' }, (c) => c.error_code === ''],
    ['fault', { fault: 'client' }, (c) => c.fault === 'client'],
    ['protocol', { protocol: '2026-07-28' }, (c) => c.protocol_version === '2026-07-28'],
    ['transport', { transport: 'http' }, (c) => c.transport === 'http'],
    ['a message', { message: TEMPLATE }, (c) => c.error_message === TEMPLATE],
    ['no message', { message: '', errors: 'true' }, (c) => c.fault !== 'none' && c.error_message === ''],
    ['a message longer than the filter', { message: LONG.slice(0, 500) }, (c) => c.error_message === LONG],
    ['an argument', { argument: 'filter.limit' }, (c) => c.error_argument === 'filter.limit'],
    ['no argument', { argument: '', code: '-32602' }, (c) => c.error_code === '-32602' && !c.error_argument],
    ['at least so long', { minMs: 100.5 }, (c) => c.duration_us >= 100_500],
    ['at most so long', { maxMs: 5.25 }, (c) => c.duration_us <= 5_250],
    [
      'what figures count',
      { counted: 'true' },
      (c) => c.side === 'server' && c.method === 'tools/call' && c.outcome !== 'input_required',
    ],
    ['session', { session: 'session-3' }, (c) => c.session_id === 'session-3'],
    ['errors only', { errors: 'true' }, (c) => c.fault !== 'none'],
    ['no errors', { errors: 'false' }, (c) => c.fault === 'none'],
    [
      'two filters',
      { tool: 'tool_0', errors: 'true' },
      (c) => c.tool_name === 'tool_0' && c.fault !== 'none',
    ],
  ])('calls filtered by %s are the ones that match', async (_name, filters, isWanted) => {
    const expected = calls.filter((call) => isWithin(call, USED) && isWanted(call)).sort(newestFirst);
    expect(expected.length).toBeGreaterThan(0);
    const { calls: rows } = await queries.calls({ range: DAY_BACK, limit: 1_000, ...filters });
    expect(rows.map(shownIdentity)).toEqual(expected.slice(0, 1_000).map(identityOf));
  });

  test('a page of calls is filled from days before the newest day', async () => {
    const far = [1, 2, 3, 4, 5].map((days) =>
      createSeededCall({ startedUs: (NOW - days * 24 * HOUR) * 1_000 + 7, server_name: 'far' }),
    );
    await storeCalls(...far);
    const range = { fromMs: NOW - 9 * 24 * HOUR, toMs: NOW };
    const first = await queries.calls({ range, limit: 3, server: 'far' });
    const second = await queries.calls({ range, limit: 3, server: 'far', cursor: first.nextCursor ?? '' });
    expect([...first.calls, ...second.calls].map(shownIdentity)).toEqual(far.map(identityOf));
    expect(second.nextCursor).toBeNull();
  });

  test('calls come page by page, each once, while newer ones arrive and time passes', async () => {
    const expected = calls.filter((call) => isWithin(call, USED)).sort(newestFirst);
    // Ten calls at the very same time: only the rest of the key tells them apart.
    const same = Array.from({ length: 10 }, () =>
      createSeededCall({ startedUs: expected[3]!.startedUs, session_id: 'same' }),
    );
    await storeCalls(...same);
    const seen: string[] = [];
    let cursor: string | undefined;
    let range = DAY_BACK;
    do {
      const page = await queries.calls({
        range,
        limit: CALLS_OF_A_PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page.range).toEqual(USED);
      seen.push(...page.calls.map(shownIdentity));
      cursor = page.nextCursor ?? undefined;
      range = { fromMs: range.fromMs + 61_000, toMs: range.toMs };
      await insertRows(engine.store, 'calls', [
        toStoredRow(createSeededCall({ startedUs: USED.toMs * 1_000 - 1, server_name: 'late' })),
      ]);
    } while (cursor !== undefined);
    expect(seen).toEqual([...expected, ...same].sort(newestFirst).map(identityOf));
    calls.push(...(await readLateCalls()));
  });
});

/** The calls that arrived during a test are part of what the oracles of later tests count. */
async function readLateCalls(): Promise<SeededCall[]> {
  const { calls: rows } = await queries.calls({ range: DAY_BACK, limit: 1_000, server: 'late' });
  return rows.map((row) =>
    createSeededCall({
      startedUs: USED.toMs * 1_000 - 1,
      server_name: 'late',
      trace_id: row.traceId,
      span_id: row.spanId,
    }),
  );
}

describe('list of sessions', () => {
  const whole = (filters: OracleFilters = {}) => listSessions(calls, USED, filters);
  const keys = ({ sessions: rows }: SessionsResponse) =>
    rows.map((s) => `${s.server}|${s.source}|${s.sessionId}`);

  test.each(['recent', 'calls'] as const)(
    'sessions ordered by %s come page by page, each once',
    async (order) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = {
          range: DAY_BACK,
          minCalls: 0,
          order,
          limit: SESSIONS_OF_A_PAGE,
          ...(cursor !== undefined && { cursor }),
        };
        const page = SessionsResponse.parse(await queries.sessions(query));
        expect(page.sessions.length).toBeLessThanOrEqual(SESSIONS_OF_A_PAGE);
        seen.push(...keys(page));
        cursor = page.nextCursor ?? undefined;
        // What begins meanwhile is newer than every page still to come.
        const fresh = createSeededCall({
          startedUs: NOW * 1_000 + 1_000,
          session_id: `fresh-${seen.length}`,
          server_name: order,
        });
        if (order === 'recent') await storeCalls(fresh);
      } while (cursor !== undefined);
      const expected = whole()
        .filter(({ key }) => !key.startsWith('recent|'))
        .sort((a, b) => (order === 'calls' && b.calls - a.calls) || b.endedUs - a.endedUs);
      expect(seen.filter((key) => !key.startsWith('recent|'))).toEqual(expected.map(({ key }) => key));
    },
  );

  test('a minimum number of calls applies to the whole lifetime of a session', async () => {
    const answer = await queries.sessions({ range: DAY_BACK, minCalls: 10, order: 'calls', limit: 1_000 });
    const expected = whole().filter(({ calls: n }) => n >= 10);
    expect(expected.length).toBeGreaterThan(2);
    expect(keys(answer).sort()).toEqual(expected.map(({ key }) => key).sort());
    expect(answer.total).toBe(expected.length);
  });

  test('a session cut by the range is counted whole, and one without a call in the range is left out', async () => {
    const at = (minutes: number) => (NOW - 3 * HOUR) * 1_000 + minutes * 60_000_000;
    const of = (session_id: string, ...minutes: number[]) =>
      minutes.map((minute) =>
        createSeededCall({ startedUs: at(minute), session_id, server_name: 'cut', duration_us: 10 }),
      );
    await storeCalls(
      ...of('through', -30, -20, 5, 40),
      ...of('around', -10, 30),
      ...of('before', -5),
      ...of('inside', 7),
    );
    const range = { fromMs: at(0) / 1_000, toMs: at(20) / 1_000 };
    const answer = await queries.sessions({
      range,
      minCalls: 0,
      order: 'recent',
      limit: 100,
      server: 'cut',
    });
    expect(answer.sessions.map((s) => [s.sessionId, s.calls])).toEqual([
      ['through', 4],
      ['inside', 1],
    ]);
  });

  test('the list of sessions marks looping sessions, and can be filtered by them', async () => {
    const loop = (id: string, session_id: string, revision: number) => ({
      id,
      server_name: 'cut',
      environment: 'production',
      session_source: 'connection',
      session_id,
      plan_id: '',
      kind: 'identical',
      severity: 'confirmed',
      state: revision === 2 ? 'ended' : 'active',
      tools: ['search_notes'],
      period: 1,
      repeats: 3,
      wasted_calls: 2,
      wasted_us: 20,
      onset: toColumnTime(NOW * 1_000),
      last_at: toColumnTime(NOW * 1_000),
      evidence: '{}',
      revision,
    });
    await insertRows(engine.store, 'loops', [
      loop('a', 'through', 1),
      loop('b', 'through', 1),
      loop('c', 'inside', 1),
      loop('d', 'around', 1),
    ]);
    await insertRows(engine.store, 'loops', [loop('a', 'through', 2), loop('d', 'around', 2)]);
    const ask = (looping: 'true' | 'false') =>
      queries.sessions({
        range: DAY_BACK,
        minCalls: 0,
        order: 'recent',
        limit: 100,
        server: 'cut',
        looping,
      });
    const looping = await ask('true');
    expect(looping.sessions.map((s) => [s.sessionId, s.loops]).sort()).toEqual([
      ['around', 1],
      ['inside', 1],
      ['through', 2],
    ]);
    expect(looping.total).toBe(3);
    expect((await ask('false')).sessions.map((s) => s.sessionId).sort()).toEqual(['before']);
    // The loop of `around` has ended: its newest revision says so.
    const { sentence } = await queries.summary({ range: DAY_BACK });
    expect(sentence).toContain('2 agents are looping now');
  });
});

describe('one session', () => {
  test('a session lists its calls in order, page by page, including those that arrive meanwhile', async () => {
    const startedUs = (NOW - HOUR) * 1_000;
    const mine = Array.from({ length: 25 }, (_, at) =>
      createSeededCall({
        startedUs: startedUs + Math.floor(at / 3) * 1_000,
        session_id: 'paged',
        server_name: 'one',
      }),
    );
    await storeCalls(...[...mine].reverse());
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = SessionResponse.parse(
        await queries.session({ id: 'paged', limit: 10, ...(cursor !== undefined && { cursor }) }),
      );
      seen.push(...page.calls.map(shownIdentity));
      cursor = page.nextCursor ?? undefined;
      if (seen.length === 10) {
        const late = createSeededCall({
          startedUs: startedUs + 60_000_000,
          session_id: 'paged',
          server_name: 'one',
        });
        mine.push(late);
        await storeCalls(late);
      }
    } while (cursor !== undefined);
    expect(seen).toEqual(mine.map(identityOf));
    const { session } = await queries.session({ id: 'paged', limit: 1 });
    expect(session).toMatchObject({
      sessionId: 'paged',
      server: 'one',
      calls: 26,
      requests: 26,
      source: 'connection',
    });
  });

  test('a session id is looked up on every server, and is ambiguous if two servers have it', async () => {
    await storeCalls(
      createSeededCall({ startedUs: NOW * 1_000 - 9, session_id: 'twin', server_name: 'left' }),
      createSeededCall({ startedUs: NOW * 1_000 - 8, session_id: 'twin', server_name: 'right' }),
      createSeededCall({ startedUs: NOW * 1_000 - 7, session_id: 'twin', server_name: 'right' }),
    );
    await expect(queries.session({ id: 'twin', limit: 10 })).rejects.toMatchObject({
      name: 'UserError',
      code: 'AMBIGUOUS_SESSION',
      message: '2 servers have a session with this id: left, right.',
    });
    const { session, calls: rows } = await queries.session({ id: 'twin', limit: 10, server: 'right' });
    expect([session.server, session.calls, rows.length]).toEqual(['right', 2, 2]);
  });

  test('sessions with the same id on one server from two sources are kept apart', async () => {
    const one = { session_id: 'stranger', server_name: 'mixed' };
    await storeCalls(
      createSeededCall({
        ...one,
        startedUs: NOW * 1_000 - 9,
        session_source: 'trace',
        session_confidence: 'low',
      }),
      createSeededCall({
        ...one,
        startedUs: NOW * 1_000 - 8,
        session_source: 'host',
        session_confidence: 'high',
      }),
    );
    const { session, calls: rows } = await queries.session({ id: 'stranger', limit: 10 });
    expect([session.source, session.calls, rows.length]).toEqual(['host', 1, 1]);
  });

  test('an unknown session id is not found', async () => {
    const failure = { name: 'UserError', code: 'NOT_FOUND' };
    await expect(queries.session({ id: 'nobody', limit: 10 })).rejects.toMatchObject(failure);
    await expect(queries.session({ id: 'paged', limit: 10, server: 'other' })).rejects.toMatchObject(failure);
  });
});

describe('cursor', () => {
  const refused = { name: 'UserError', code: 'INVALID_PARAMETER', field: 'cursor' };

  test.each(['', 'x', 'W10', Buffer.from('["calls",1,2]').toString('base64url'), `'; DROP TABLE calls`])(
    'the malformed cursor %j is refused',
    async (cursor) => {
      await expect(queries.calls({ range: DAY_BACK, limit: 5, cursor })).rejects.toMatchObject(refused);
      await expect(queries.session({ id: 'paged', limit: 5, cursor })).rejects.toMatchObject(refused);
    },
  );

  test.each([
    [['calls', -1, 1, 1, 'a', 'b'], 'a range before 1970'],
    [['calls', 1, 9e15, 1, 'a', 'b'], 'a range beyond the engine'],
    [['calls', 1, 2, 9e15, 'a', 'b'], 'a time beyond the engine'],
    [['calls', 1, 2, 3, `a'`, 'b'], 'an id that is no id'],
    [['calls', 1, 2, 3, 'a', 'b', 'c'], 'one value too many'],
  ])('the cursor of %j is refused for %s', async (values) => {
    const cursor = Buffer.from(JSON.stringify(values)).toString('base64url');
    await expect(queries.calls({ range: DAY_BACK, limit: 5, cursor })).rejects.toMatchObject(refused);
  });

  test('a cursor of one list or order is refused by another', async () => {
    const recent = await queries.sessions({ range: DAY_BACK, minCalls: 0, order: 'recent', limit: 1 });
    const cursor = recent.nextCursor ?? '';
    expect(cursor).not.toBe('');
    const query = { range: DAY_BACK, minCalls: 0, order: 'calls', limit: 1, cursor } as const;
    await expect(queries.sessions(query)).rejects.toMatchObject(refused);
    await expect(queries.calls({ range: DAY_BACK, limit: 1, cursor })).rejects.toMatchObject(refused);
  });
});
