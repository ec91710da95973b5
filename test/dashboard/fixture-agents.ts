// Calls of one agent on two servers for the tests that open its page, and what the service says of a session: the fixture
// joins by trace id only.
import type { CallRow } from '../../src/contract/calls.ts';
import { SessionAgentResponse, type SessionRow } from '../../src/contract/sessions.ts';
import { groupBy } from '../../src/core/values/group-by.ts';
import { createCalls } from './fixture-calls.ts';

const MINUTE = 60_000;
export const AGENT_SESSION = 'agent on shop';

/** Three calls on one server and two on another, in turn, of one trace; the newest is half an hour old. */
export function createAgentCalls(nowMs: number): CallRow[] {
  const [template] = createCalls(nowMs);
  if (!template) throw new Error('the fixture has no calls');
  return ['shop', 'mail', 'shop', 'mail', 'shop'].map((server, at) => ({
    ...template,
    ...{ server, sessionId: `agent on ${server}`, sessionSource: 'transport', client: 'cursor' },
    ...{ method: 'tools/call', tool: `${server}_step_${at}`, outcome: 'ok', fault: 'none', code: '' },
    ...{ traceId: 'c'.repeat(32), spanId: String(at).padStart(16, 'c'), parentSpanId: 'd'.repeat(16) },
    startedAt: new Date(nowMs - 30 * MINUTE - (5 - at) * MINUTE).toISOString(),
    durationMs: 400,
  }));
}

/** @param sessions of the calls, as the list of sessions has them */
export function toSessionAgent(
  own: SessionRow,
  sessions: readonly SessionRow[],
  calls: readonly CallRow[],
): SessionAgentResponse {
  const callsBySession = groupBy(calls, toSessionKey);
  const callsOf = (row: SessionRow) => callsBySession.get(toSessionKey(row)) ?? [];
  const traces = new Set(callsOf(own).map(({ traceId }) => traceId));
  const others = sessions.filter(
    (row) => row.server !== own.server && callsOf(row).some(({ traceId }) => traces.has(traceId)),
  );
  const all = [own, ...others].flatMap(callsOf).filter(({ method }) => method === 'tools/call');
  return SessionAgentResponse.parse({
    sessions: [
      { session: own, joinedBy: [], sharedTraces: 0 },
      ...others.map((session) => ({ session, joinedBy: ['trace'], sharedTraces: 1 })),
    ],
    calls: all.toSorted((one, other) => one.startedAt.localeCompare(other.startedAt)),
    total: all.length,
    nextCursor: null,
  });
}

function toSessionKey({
  server,
  sessionId,
}: {
  readonly server: string;
  readonly sessionId: string;
}): string {
  return JSON.stringify([server, sessionId]);
}
