// One agent on several servers, in a real store: which sessions are joined, by what, and their calls as one timeline.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import { type JoinedSession, SessionAgentResponse } from '../../../../src/contract/sessions.ts';
import type { SessionSource } from '../../../../src/core/model/session.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import { createSeededCall, type SeededCall, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Math.floor(Date.now() / HOUR) * HOUR + 17 * MINUTE;
const limit = 100;

interface ScriptedSession {
  readonly server: string;
  readonly source: SessionSource;
  readonly id: string;
  /** Trace of each call; a call without one has a trace of its own. */
  readonly traces: readonly (string | undefined)[];
  readonly hoursAgo?: number;
  readonly isError?: boolean;
}

/** One agent on four servers, and sessions that only look as if they belonged to it. */
const SESSIONS: readonly ScriptedSession[] = [
  { server: 'shop', source: 'transport', id: 'shop-1', traces: ['t1', 't2', 't2', undefined] },
  { server: 'mail', source: 'connection', id: 'mail-1', traces: ['t1', undefined], isError: true },
  { server: 'files', source: 'meta', id: 'conversation-7', traces: ['t2', 't2'] },
  { server: 'wiki', source: 'meta', id: 'conversation-7', traces: [undefined] },
  // At the same time and of the same client, but with nothing in common.
  { server: 'mail', source: 'connection', id: 'stranger', traces: ['t9', undefined] },
  // The same id from another source is not a conversation id.
  { server: 'jira', source: 'host', id: 'conversation-7', traces: [undefined] },
  // The same trace id, five days earlier.
  { server: 'wiki', source: 'connection', id: 'long-ago', traces: ['t1'], hoursAgo: 120 },
];

const toTrace = (name: string) => Buffer.from(name).toString('hex').padEnd(32, '0');

const calls = SESSIONS.flatMap((session, nth): SeededCall[] =>
  session.traces.map((trace, at) => ({
    ...createSeededCall({
      startedUs: (NOW - (session.hoursAgo ?? 2) * HOUR + (at * 7 + nth) * MINUTE) * 1_000,
      ...{ server_name: session.server, session_source: session.source, session_id: session.id },
      ...{ session_confidence: 'medium', tool_name: `${session.server}_tool` },
      ...(trace && { trace_id: toTrace(trace), parent_span_id: 'aaaaaaaaaaaaaaaa' }),
      ...(session.isError && { outcome: 'tool_error', fault: 'server' }),
    }),
  })),
);
/** A request that is no tool call shares traces too, and is not part of the timeline. */
const listing = createSeededCall({
  startedUs: (NOW - 2 * HOUR - MINUTE) * 1_000,
  ...{
    server_name: 'shop',
    session_source: 'transport',
    session_id: 'shop-1',
    method: 'tools/list',
    tool_name: '',
  },
});

let engine: TestEngine;
let queries: Queries;

beforeAll(async () => {
  engine = await startTestEngine();
  await insertRows(engine.store, 'calls', [...calls, listing].map(toStoredRow));
  const freshness = () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 });
  queries = createQueries({ store: engine.store, clock: () => NOW, freshness, rawDays: 30 });
});

afterAll(() => engine?.stop());

const keyOf = ({ session, joinedBy, sharedTraces }: JoinedSession) =>
  [`${session.server} ${session.sessionId}`, joinedBy.join('+'), sharedTraces] as const;
const spansOf = (ids: readonly string[]) =>
  calls
    .filter(({ server_name, session_source, session_id }) =>
      ids.includes(`${server_name} ${session_source} ${session_id}`),
    )
    .toSorted((one, other) => one.startedUs - other.startedUs)
    .map(({ span_id }) => span_id);

const AGENT = [
  ...['shop transport shop-1', 'mail connection mail-1'],
  ...['files meta conversation-7', 'wiki meta conversation-7'],
];

describe('one agent on several servers', () => {
  test('sessions are joined by trace and by conversation id, also through another session', async () => {
    const answer = SessionAgentResponse.parse(await queries.sessionAgent({ id: 'shop-1', limit }));
    expect(answer.sessions.map(keyOf)).toEqual([
      ['shop shop-1', '', 0],
      ['mail mail-1', 'trace', 1],
      ['files conversation-7', 'trace', 1],
      ['wiki conversation-7', 'conversation', 0],
    ]);
  });

  test.each([
    ['shop-1', 'shop'],
    ['mail-1', 'mail'],
    ['conversation-7', 'files'],
    ['conversation-7', 'wiki'],
  ])('the agent is the same, seen from session %s on %s', async (id, server) => {
    const { sessions, calls: timeline, total } = await queries.sessionAgent({ id, server, limit });
    expect(sessions[0]?.session).toMatchObject({ sessionId: id, server });
    expect(sessions).toHaveLength(4);
    expect(timeline.map(({ spanId }) => spanId)).toEqual(spansOf(AGENT));
    expect(total).toBe(spansOf(AGENT).length);
  });

  test.each([
    ['stranger', 'mail', 'it happened at the same time, and shares neither id'],
    ['conversation-7', 'jira', 'its id is of another source than a conversation'],
    ['long-ago', 'wiki', 'it shares a trace id, but lies days before'],
  ])('session %s on %s is alone, because %s', async (id, server, _because) => {
    const { sessions, calls: timeline } = await queries.sessionAgent({ id, server, limit });
    expect(sessions.map(({ session, joinedBy }) => [session.sessionId, joinedBy])).toEqual([[id, []]]);
    expect(timeline.every((call) => call.server === server)).toBe(true);
  });

  test('each session has the counts of the list of sessions', async () => {
    const { sessions } = await queries.sessionAgent({ id: 'shop-1', limit });
    const range = { fromMs: NOW - 24 * HOUR, toMs: NOW };
    const list = await queries.sessions({ range, minCalls: 0, order: 'recent', limit });
    for (const { session } of sessions) expect(list.sessions).toContainEqual(session);
    const [shop, mail] = sessions.map(({ session }) => session);
    expect([shop?.calls, shop?.requests, mail?.errors]).toEqual([4, 5, 2]);
  });

  test('the pages of the timeline follow each other', async () => {
    const spans: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queries.sessionAgent({ id: 'shop-1', limit: 4, cursor });
      spans.push(...page.calls.map(({ spanId }) => spanId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(spans).toEqual(spansOf(AGENT));
  });

  test('an id that several servers have needs the server', async () => {
    await expect(queries.sessionAgent({ id: 'conversation-7', limit })).rejects.toMatchObject({
      code: 'AMBIGUOUS_SESSION',
    });
    await expect(queries.sessionAgent({ id: 'unknown', limit })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
