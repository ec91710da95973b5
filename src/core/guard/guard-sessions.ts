// Whose calls are judged together: those of one session, never of an address. A trace may be one of many of a run, so
// there the decision is only recorded; without an identity there is none.

import type { Session } from '../model/session.ts';
import { createGuardSession, type GuardSession } from './decide-call.ts';
import type { GuardMode, GuardPolicy } from './guard-policy.ts';

/** Sessions remembered in one process; the one longest silent leaves first. */
const MAX_SESSIONS = 1_000;

export interface GuardSessions {
  /** What is known of a session, made when first asked for. */
  of(serverName: string, session: Session): GuardSession;
  readonly size: number;
}

export function createGuardSessions(maxSessions: number = MAX_SESSIONS): GuardSessions {
  const sessions = new Map<string, GuardSession>();
  return {
    of(serverName, { source, id }) {
      const key = `${serverName}\n${source}\n${id}`;
      const known = sessions.get(key) ?? createGuardSession();
      sessions.delete(key);
      sessions.set(key, known);
      const [oldest] = sessions.keys();
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest);
      return known;
    },
    get size() {
      return sessions.size;
    },
  };
}

/** How far the guard may go in a session; undefined where it may not even look. */
export function effectiveMode({ source }: Session, mode: GuardMode): GuardMode | undefined {
  if (source === 'none') return undefined;
  return source === 'trace' ? 'observe' : mode;
}

/** The policy that holds in a session; undefined where the guard may not even look. */
export function effectivePolicy(session: Session, policy: GuardPolicy): GuardPolicy | undefined {
  const mode = effectiveMode(session, policy.mode);
  if (mode === undefined || mode === policy.mode) return mode && policy;
  return { ...policy, mode };
}
