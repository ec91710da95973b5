// The guard's state per session, never per network address. A trace may be one of many of a run, so its
// decisions are only recorded; without a session there is no decision.

import type { Session } from '../model/session.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import { createGuardSession, type GuardSession } from './decide-call.ts';
import type { GuardMode, GuardPolicy } from './guard-policy.ts';

/** Maximum sessions kept in one process; the least recently used is evicted. */
const MAX_SESSIONS = 1_000;

export interface GuardSessions {
  /** The state of a session, created on first use. */
  of(serverName: string, session: Session): GuardSession;
  readonly size: number;
}

export function createGuardSessions(maxSessions: number = MAX_SESSIONS): GuardSessions {
  const sessions = new BoundedMap<string, GuardSession>(maxSessions);
  return {
    of(serverName, { source, id }) {
      const key = `${serverName}\n${source}\n${id}`;
      const known = sessions.get(key) ?? createGuardSession();
      sessions.set(key, known);
      return known;
    },
    get size() {
      return sessions.size;
    },
  };
}

/** The strongest mode allowed in a session; undefined if the guard must stay inactive. */
export function effectiveMode({ source }: Session, mode: GuardMode): GuardMode | undefined {
  if (source === 'none') return undefined;
  return source === 'trace' ? 'observe' : mode;
}

/** The effective policy of a session; undefined if the guard must stay inactive. */
export function effectivePolicy(session: Session, policy: GuardPolicy): GuardPolicy | undefined {
  const mode = effectiveMode(session, policy.mode);
  if (mode === undefined || mode === policy.mode) return mode && policy;
  return { ...policy, mode };
}
