// Resolves a request's session and plan from a list of sources, strongest first. Unknown stays unknown: two
// requests without any key have no session rather than a shared one.

import { NO_SESSION, type Session, type SessionSource } from '../model/session.ts';
import type { TransportKind } from '../model/tool-call.ts';

export interface SessionEvidence {
  /** Result of the host's own `sessionId(ctx)`. */
  readonly host: string;
  /** The transport's session id (stateful Streamable HTTP, SSE). */
  readonly transportSession: string;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly transport: TransportKind;
  readonly connectionId: string;
  /** Trace id of `_meta.traceparent`. */
  readonly traceId: string;
}

/** Keys of `_meta` in which clients and gateways send a conversation or run id, most specific first. */
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

/** Longer ids are truncated: clients choose them, and they become row keys. */
const MAX_ID_LENGTH = 256;

/** Resolves a request's session from the strongest available evidence. */
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

/** The request's plan id, or ''. */
export function resolvePlanId(host: string, meta: Readonly<Record<string, unknown>> | undefined): string {
  return (host || firstText(meta, META_PLAN_KEYS)).slice(0, MAX_ID_LENGTH);
}

/** A pipe or a linked pair has one client; an HTTP connection may carry several. */
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
