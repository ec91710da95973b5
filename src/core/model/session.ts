// A session is one agent run against one server. The 2026-07-28 protocol has no sessions, so every id carries
// its source and its confidence. The identity is (server, source, id), so unrelated sessions are never
// merged.

/** Sources of a session id, strongest first. */
export const SESSION_SOURCES = ['host', 'transport', 'meta', 'connection', 'trace', 'none'] as const;

export type SessionSource = (typeof SESSION_SOURCES)[number];

export const SESSION_CONFIDENCES = ['high', 'medium', 'low', 'none'] as const;

export type SessionConfidence = (typeof SESSION_CONFIDENCES)[number];

export interface Session {
  /** Empty if and only if `source` is `none`. */
  readonly id: string;
  readonly source: SessionSource;
}

/**
 * Confidence that a session id of this source is exactly one agent run. A host's own id and a transport
 * session are exact; a `_meta` conversation or a stdio connection may span two runs; a trace may be one of
 * many.
 */
export const CONFIDENCE_BY_SOURCE: Readonly<Record<SessionSource, SessionConfidence>> = {
  host: 'high',
  transport: 'high',
  meta: 'medium',
  connection: 'medium',
  trace: 'low',
  none: 'none',
};

export const NO_SESSION: Session = { id: '', source: 'none' };

/** Sessions with the same id on different servers, or from different sources, are different sessions. */
export interface SessionIdentity extends Session {
  readonly server: string;
}

export function toSessionKey({ server, source, id }: SessionIdentity): string {
  return JSON.stringify([server, source, id]);
}

/** The identity of the session of a flat record, such as a loop. */
export function toSessionIdentity(record: {
  readonly server: string;
  readonly sessionSource: SessionSource;
  readonly sessionId: string;
}): SessionIdentity {
  return { server: record.server, source: record.sessionSource, id: record.sessionId };
}
