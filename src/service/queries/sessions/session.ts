// The session page: its head, and its calls in order. The head comes from `sessions` and bounds the time
// range of the calls, so that the bloom filter on the session id is evaluated for few parts.

import type { SessionQuery, SessionResponse } from '../../../contract/sessions.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { SESSION_SOURCES, type SessionIdentity } from '../../../core/model/session.ts';
import { CallKey, isBeyondCall, SESSION_CALLS, toCallKey, toCallRow } from '../calls/call-rows.ts';
import { readLoopsOfSession } from '../loops/loops.ts';
import { readNearMisses } from '../loops/near-misses.ts';
import { closePage, parseCursor } from '../query/cursor.ts';
import { allOf, type Where, whereFilters } from '../query/filters.ts';
import { inRange } from '../query/grain.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY } from '../query/session-identity.ts';
import { LOOPS_PER_SESSION, SESSION_COLUMNS, SessionColumns, toSessionRow } from './session-rows.ts';

export type Lookup<Found> =
  | ({ readonly status: 'found' } & Found)
  | { readonly status: 'not_found' }
  | { readonly status: 'ambiguous'; readonly servers: readonly string[] };
export type SessionLookup = Lookup<{ readonly response: SessionResponse }>;

/**
 * One session and a page of its calls, oldest first.
 *
 * @param id as returned by the list of sessions
 * @returns `ambiguous` with the servers if several have a session with that id and none is given
 */
export async function getSession(
  id: string,
  query: SessionQuery,
  context: QueryContext,
): Promise<SessionLookup> {
  const { cursor, limit } = query;
  const after =
    cursor === undefined ? undefined : parseCursor('session', { text: cursor, key: CallKey }).after;
  const found = await findSession(id, query.server, context);
  if (found.status !== 'found') return found;
  const { session } = found;
  const range = toCallRange(session);
  const identity = { server: session.server_name, source: session.session_source, id: session.session_id };
  const [rows, loops, consideredNotFlagged] = await Promise.all([
    readCalls(identity, { range, after, limit }, context),
    readLoopsOfSession(identity, context),
    readNearMisses(identity, context),
  ]);
  const { rows: calls, nextCursor } = closePage(rows, { kind: 'session', range, limit, keyOf: toCallKey });
  const response = {
    session: toSessionRow(session),
    calls: calls.map(toCallRow),
    loops,
    consideredNotFlagged,
    nextCursor,
  };
  return { status: 'found', response };
}

/** The head of a session. @returns `ambiguous` as `getSession` does */
export async function findSession(
  id: string,
  server: string | undefined,
  context: QueryContext,
): Promise<Lookup<{ readonly session: SessionColumns }>> {
  const sessions = await readSessions(allOf(whereFilters('sessions', { session: id, server })), context);
  const servers = [...new Set(sessions.map(({ server_name }) => server_name))];
  if (servers.length > 1) return { status: 'ambiguous', servers };
  // If two sources on one server have the same id, the stronger source is preferred.
  const [session] = sessions.sort((a, b) => toSourceRank(a) - toSourceRank(b));
  return session ? { status: 'found', session } : { status: 'not_found' };
}

const toSourceRank = ({ session_source }: SessionColumns) => SESSION_SOURCES.indexOf(session_source);

const toCallRange = ({ started_us, ended_us }: SessionColumns): TimeRange => ({
  fromMs: Math.floor(started_us / 1_000),
  toMs: Math.floor(ended_us / 1_000) + 1,
});

/** Whole sessions that have a row which meets the condition. */
export function readSessions({ sql, params }: Where, { store }: QueryContext): Promise<SessionColumns[]> {
  return store.query({
    sql: `
    SELECT *
    FROM (SELECT ${SESSION_COLUMNS} FROM sessions WHERE ${sql} GROUP BY ${IDENTITY}) AS whole
    LEFT JOIN (${LOOPS_PER_SESSION}) AS found USING (${IDENTITY})
    ORDER BY server_name`,
    params,
    row: SessionColumns,
  });
}

interface SessionPage {
  readonly range: TimeRange;
  readonly after: CallKey | undefined;
  readonly limit: number;
}

function readCalls(
  { server, source, id }: SessionIdentity,
  { range, after, limit }: SessionPage,
  { store }: QueryContext,
) {
  const where = allOf(
    whereFilters('calls', { server, session: id }),
    { sql: 'session_source = {source:String}', params: { source } },
    inRange('started_at', range),
    isBeyondCall(after, '>'),
  );
  return store.query({
    sql: `
    SELECT ${SESSION_CALLS.select}
    FROM calls
    WHERE ${where.sql}
    ORDER BY started_at, trace_id, span_id
    LIMIT ${limit + 1}`,
    params: where.params,
    row: SESSION_CALLS.row,
  });
}
