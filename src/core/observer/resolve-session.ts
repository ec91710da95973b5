// Whose session a request belongs to, and which plan: the ladder of sources, strongest first. What is not known stays
// unknown: two requests without any key share no session, they have none.

import { NO_SESSION, type Session, type SessionSource } from '../model/session.ts';
import type { TransportKind } from '../model/tool-call.ts';

export interface SessionEvidence {
  /** What the host's own `sessionId(ctx)` said. */
  readonly host: string;
  /** The transport's session id (stateful Streamable HTTP, SSE). */
  readonly transportSession: string;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly transport: TransportKind;
  readonly connectionId: string;
  /** Trace id of `_meta.traceparent`. */
  readonly traceId: string;
}

/** Keys of `_meta` under which clients and gateways send a conversation or a run, most specific first. */
const META_SESSION_KEYS = [
  'conversationId',
  'conversation_id',
  'gen_ai.conversation.id',
  'sessionId',
  'session_id',
  'openai/session',
  'threadId',
  'thread_id',
  'runId',
  'run_id',
] as const;

const META_PLAN_KEYS = ['planId', 'plan_id', 'runId'] as const;

/** Longer ids are cut: they are keys of rows, and a client chooses them. */
const MAX_ID_LENGTH = 256;

/** Names the session of a request by the strongest evidence there is. */
export function resolveSession(evidence: SessionEvidence): Session {
  return (
    toSession('host', evidence.host) ??
    toSession('transport', evidence.transportSession) ??
    toSession('meta', firstText(evidence.meta, META_SESSION_KEYS)) ??
    toSession('connection', isOneConversation(evidence.transport) ? evidence.connectionId : '') ??
    toSession('trace', evidence.traceId) ??
    NO_SESSION
  );
}

/** The plan a request says it belongs to, or ''. */
export function resolvePlanId(host: string, meta: Readonly<Record<string, unknown>> | undefined): string {
  return (host || firstText(meta, META_PLAN_KEYS)).slice(0, MAX_ID_LENGTH);
}

/** A pipe or a linked pair has one client at its other end; an HTTP connection may carry many. */
function isOneConversation(transport: TransportKind): boolean {
  return transport === 'stdio' || transport === 'memory';
}

function toSession(source: SessionSource, id: string): Session | undefined {
  return id === '' ? undefined : { id: id.slice(0, MAX_ID_LENGTH), source };
}

function firstText(meta: Readonly<Record<string, unknown>> | undefined, keys: readonly string[]): string {
  if (meta === undefined) return '';
  for (const key of keys) {
    const value = meta[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
