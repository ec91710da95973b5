// What one agent run did to one server. Since the 2026-07-28 protocol has no sessions, every id says where it
// came from and how far it can be trusted. The identity is (server, source, id): strangers are never merged.

/** Where a session id came from, strongest first. */
export const SESSION_SOURCES = ['host', 'transport', 'meta', 'connection', 'trace', 'none'] as const;

export type SessionSource = (typeof SESSION_SOURCES)[number];

export const SESSION_CONFIDENCES = ['high', 'medium', 'low', 'none'] as const;

export type SessionConfidence = (typeof SESSION_CONFIDENCES)[number];

export interface Session {
  /** Empty exactly when `source` is `none`. */
  readonly id: string;
  readonly source: SessionSource;
}

/**
 * How far a session id of this source can be trusted to be one agent run: a host's own id and a transport's
 * session are what they say; a `_meta` conversation and a stdio connection may span two runs; a trace may be one of many.
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
