// One agent on several servers as sentences: how many sessions and servers, and what joins them.
import type { JoinedSession, SessionJoin } from '../../../../src/contract/sessions.ts';
import { formatPlural } from '../../format/format-number.ts';

const JOIN_LABELS: Readonly<Record<SessionJoin, string>> = {
  conversation: 'conversation id',
  trace: 'trace id',
};

export function describeAgent(sessions: readonly JoinedSession[], calls: number): string {
  const servers = new Set(sessions.map(({ session }) => session.server)).size;
  const made = `${formatPlural(calls, 'call')} on ${formatPlural(servers, 'server')}`;
  if (sessions.length < 2) return `${made}. No other session shares a trace or conversation id with it.`;
  return `${made} in ${formatPlural(sessions.length, 'session')}, joined by ${describeJoins(sessions)}.`;
}

/** "trace id and conversation id". */
export function describeJoins(sessions: readonly JoinedSession[]): string {
  const joins = new Set(sessions.flatMap(({ joinedBy }) => joinedBy));
  return [...joins].map((join) => JOIN_LABELS[join]).join(' and ');
}

/** "trace id (3 shared)"; empty for the session that was asked for. */
export function formatJoin({ joinedBy, sharedTraces }: JoinedSession): string {
  return joinedBy
    .map((join) => (join === 'trace' ? `${JOIN_LABELS.trace} (${sharedTraces} shared)` : JOIN_LABELS[join]))
    .join(', ');
}
