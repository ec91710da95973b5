// The sessions of the clients of one HTTP server, by the ids that the server gave them.

import { BoundedMap } from '../../../core/values/bounded-map.ts';
import type { HttpSession } from './exchange.ts';

export interface HttpSessions {
  /** The session of an id, created on first use. */
  open(id: string): HttpSession;
  /** Assigns the address to which a client of the 2024-11-05 transport posts to a new session. */
  openAt(endpoint: string): HttpSession;
  at(endpoint: string): HttpSession | undefined;
  delete(session: HttpSession): void;
}

/** Bounds memory: the ids come from the wire. */
const MAX_SESSIONS = 10_000;

export function createHttpSessions(): HttpSessions {
  const byId = new BoundedMap<string, HttpSession>(MAX_SESSIONS);
  const byEndpoint = new BoundedMap<string, HttpSession>(MAX_SESSIONS);
  function open(id: string, isLegacy: boolean): HttpSession {
    const session = byId.get(id) ?? createSession(id, isLegacy);
    byId.set(id, session);
    return session;
  }
  return {
    open: (id) => open(id, false),
    openAt(endpoint) {
      const session = open(toEndpointSession(endpoint), true);
      byEndpoint.set(endpoint, session);
      return session;
    },
    at: (endpoint) => byEndpoint.get(endpoint),
    delete(session) {
      byId.delete(session.id);
      for (const [endpoint, held] of byEndpoint) if (held === session) byEndpoint.delete(endpoint);
    },
  };
}

function createSession(id: string, isLegacy: boolean): HttpSession {
  return { id, isLegacy, client: undefined, protocolVersion: '', server: undefined, exchanges: new Set() };
}

/** The id of the SDKs' query parameters (TypeScript, Python), so that it is the one that `observe()` reports. */
function toEndpointSession(endpoint: string): string {
  const query = new URLSearchParams(endpoint.split('?')[1] ?? '');
  return query.get('sessionId') || query.get('session_id') || endpoint;
}

/** Path and query of an address that may be relative to the stream that named it. */
export function toEndpointPath(address: string, streamPath: string): string {
  const base = `http://localhost${streamPath}`;
  if (!URL.canParse(address, base)) return address;
  const { pathname, search } = new URL(address, base);
  return `${pathname}${search}`;
}
