// One agent on several servers: the sessions that share a conversation id or a trace id with a session, directly or
// through another one, and their tool calls as one timeline. Sessions are never joined because they happened at the
// same time.
//
// Serves the page of an agent, and the panel that leads to it from the page of a session. `calls` is read in the days
// around the session, where its index of trace ids skips most granules; `sessions` has partitions per day.

import { z } from 'zod';
import type {
  JoinedSession,
  SessionAgentResponse,
  SessionJoin,
  SessionQuery,
} from '../../../contract/sessions.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { count } from '../../store/row-codec.ts';
import { CallKey, isBeyondCall, LISTED_CALLS, toCallKey, toCallRow } from '../calls/call-rows.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import { closePage, parseCursor } from '../query/cursor.ts';
import { allOf, rawSql, type Where } from '../query/filters.ts';
import { inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { IDENTITY_HASH } from '../query/session-identity.ts';
import { findSession, type Lookup, readSessions } from './session.ts';
import { type SessionColumns, toSessionRow } from './session-rows.ts';

/** Sessions of one agent; more of them would be a trace that a gateway shares between agents. */
const MAX_SESSIONS = 20;
/** Steps from the session that was asked for, such as by conversation to one and from there by trace to another. */
const MAX_STEPS = 3;
/** What shares a trace or a conversation happens within a day of the session. */
const MARGIN_MS = 86_400_000;

const FoundRow = z.object({ hash: z.string(), traces: count });
type FoundRow = z.infer<typeof FoundRow>;

/** A session of the agent by its hash. */
interface Membership {
  readonly joinedBy: readonly SessionJoin[];
  readonly sharedTraces: number;
}

/** The sessions of the agent that had this session, and a page of their calls. */
export async function getSessionAgent(
  id: string,
  { server, cursor, limit }: SessionQuery,
  context: QueryContext,
): Promise<Lookup<{ readonly response: SessionAgentResponse }>> {
  const after = cursor === undefined ? undefined : parseCursor('agent', { text: cursor, key: CallKey }).after;
  const found = await findSession(id, server, context);
  if (found.status !== 'found') return found;
  const sessions = await readJoinedSessions(found.session, context);
  const where = whereCallsOf(sessions);
  const [rows, total] = await Promise.all([
    context.store.query({
      sql: `
    SELECT ${LISTED_CALLS.select}
    FROM calls
    WHERE ${allOf(where, isBeyondCall(after, '>')).sql}
    ORDER BY started_at, trace_id, span_id
    LIMIT ${limit + 1}`,
      params: allOf(where, isBeyondCall(after, '>')).params,
      row: LISTED_CALLS.row,
    }),
    queryNumber(context.store, {
      sql: `SELECT count() AS n FROM calls WHERE ${where.sql}`,
      params: where.params,
    }),
  ]);
  const range = toSpan(sessions.map(({ columns }) => columns));
  const page = closePage(rows, { kind: 'agent', range, limit, keyOf: toCallKey });
  const response = {
    sessions: sessions.map(
      ({ columns, ...joined }): JoinedSession => ({
        session: toSessionRow(columns),
        joinedBy: [...joined.joinedBy],
        sharedTraces: joined.sharedTraces,
      }),
    ),
    calls: page.rows.map(toCallRow),
    total,
    nextCursor: page.nextCursor,
  };
  return { status: 'found', response };
}

interface SessionOfAgent extends Membership {
  readonly columns: SessionColumns;
}

/** The given session first, the others by their start. */
async function readJoinedSessions(
  start: SessionColumns,
  context: QueryContext,
): Promise<readonly SessionOfAgent[]> {
  const known = new Map<string, Membership>([[start.identity_hash, { joinedBy: [], sharedTraces: 0 }]]);
  const all: SessionColumns[] = [start];
  let newest: readonly SessionColumns[] = [start];
  for (let step = 0; step < MAX_STEPS && newest.length > 0; step++) {
    const joined = await findJoined(newest, { span: toSpan(all), known: [...known.keys()] }, context);
    const added = [...joined].slice(0, MAX_SESSIONS - known.size);
    for (const [hash, membership] of added) known.set(hash, membership);
    newest = await readByHash(
      added.map(([hash]) => hash),
      context,
    );
    all.push(...newest);
  }
  const [first, ...others] = all.flatMap((columns): SessionOfAgent[] => {
    const membership = known.get(columns.identity_hash);
    return membership === undefined ? [] : [{ columns, ...membership }];
  });
  if (first === undefined) return [];
  return [first, ...others.sort((one, other) => one.columns.started_us - other.columns.started_us)];
}

interface SearchBounds {
  readonly span: TimeRange;
  /** Hashes of the sessions that are found already. */
  readonly known: readonly string[];
}

/** Other sessions that share a trace or a conversation with one of these, most shared traces first. */
async function findJoined(
  sessions: readonly SessionColumns[],
  bounds: SearchBounds,
  context: QueryContext,
): Promise<ReadonlyMap<string, Membership>> {
  const [byTrace, byConversation] = await Promise.all([
    findByTrace(sessions, bounds, context),
    findByConversation(sessions, bounds, context),
  ]);
  const traces = new Map(byTrace.map(({ hash, traces: shared }) => [hash, shared]));
  const conversations = new Set(byConversation.map(({ hash }) => hash));
  return new Map(
    [...new Set([...conversations, ...traces.keys()])].map((hash) => [
      hash,
      {
        joinedBy: [
          ...(conversations.has(hash) ? (['conversation'] as const) : []),
          ...(traces.has(hash) ? (['trace'] as const) : []),
        ],
        sharedTraces: traces.get(hash) ?? 0,
      },
    ]),
  );
}

function findByTrace(
  sessions: readonly SessionColumns[],
  { span, known }: SearchBounds,
  { store }: QueryContext,
): Promise<FoundRow[]> {
  const around = allOf(inRange('started_at', widen(span)), rawSql(`side = 'server' AND session_id != ''`));
  return store.query({
    sql: `
    SELECT toString(${IDENTITY_HASH}) AS hash, uniqExact(trace_id) AS traces
    FROM calls
    WHERE ${around.sql}
      AND trace_id IN (
        SELECT trace_id FROM calls
        WHERE ${around.sql} AND session_id IN {ids:Array(String)} AND ${IDENTITY_HASH} IN {hashes:Array(UInt64)}
      )
      AND ${IDENTITY_HASH} NOT IN {known:Array(UInt64)}
    GROUP BY hash
    ORDER BY traces DESC, hash
    LIMIT ${MAX_SESSIONS}`,
    params: {
      ...around.params,
      ids: sessions.map(({ session_id }) => session_id),
      hashes: toNumbers(sessions.map(({ identity_hash }) => identity_hash)),
      known: toNumbers(known),
    },
    row: FoundRow,
  });
}

/** Only a session of source `meta` has the conversation id as its id. */
async function findByConversation(
  sessions: readonly SessionColumns[],
  { span, known }: SearchBounds,
  { store }: QueryContext,
): Promise<FoundRow[]> {
  const ids = sessions.flatMap(({ session_source, session_id }) =>
    session_source === 'meta' ? [session_id] : [],
  );
  if (ids.length === 0) return [];
  const { fromMs, toMs } = widen(span);
  return store.query({
    sql: `
    SELECT DISTINCT toString(identity_hash) AS hash, 0 AS traces
    FROM sessions
    WHERE day >= toDate(fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC'))
      AND session_source = 'meta' AND session_id IN {ids:Array(String)}
      AND identity_hash NOT IN {known:Array(UInt64)}
    ORDER BY hash
    LIMIT ${MAX_SESSIONS}`,
    params: { from_ms: fromMs, to_ms: toMs, ids, known: toNumbers(known) },
    row: FoundRow,
  });
}

function readByHash(hashes: readonly string[], context: QueryContext): Promise<SessionColumns[]> {
  if (hashes.length === 0) return Promise.resolve([]);
  const where = {
    sql: 'sessions.identity_hash IN {hashes:Array(UInt64)}',
    params: { hashes: toNumbers(hashes) },
  };
  return readSessions(where, context);
}

function whereCallsOf(sessions: readonly SessionOfAgent[]): Where {
  const columns = sessions.map((session) => session.columns);
  return allOf(rawSql(COUNTED_CALLS), inRange('started_at', toSpan(columns)), {
    sql: `session_id IN {ids:Array(String)} AND ${IDENTITY_HASH} IN {hashes:Array(UInt64)}`,
    params: {
      ids: columns.map(({ session_id }) => session_id),
      hashes: toNumbers(columns.map(({ identity_hash }) => identity_hash)),
    },
  });
}

/** As numbers: the engine accepts no quotes in a list of numbers. */
const toNumbers = (hashes: readonly string[]): bigint[] => hashes.map((hash) => BigInt(hash));

function toSpan(sessions: readonly SessionColumns[]): TimeRange {
  return {
    fromMs: Math.floor(Math.min(...sessions.map(({ started_us }) => started_us)) / 1_000),
    toMs: Math.floor(Math.max(...sessions.map(({ ended_us }) => ended_us)) / 1_000) + 1,
  };
}

function widen({ fromMs, toMs }: TimeRange): TimeRange {
  return { fromMs: Math.max(0, fromMs - MARGIN_MS), toMs: toMs + MARGIN_MS };
}
