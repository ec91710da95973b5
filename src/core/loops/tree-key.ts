// Which sessions belong to one agent run: those with its plan id; else those whose calls share a remote trace; else those with
// its conversation id. Strangers are never merged: what is in none of these stays alone.

import type { SessionSource } from '../model/session.ts';

export interface SessionTreeMember {
  readonly planId: string;
  readonly traceId: string;
  readonly session: { readonly source: SessionSource; readonly id: string };
}

/**
 * The runs that a call may belong to. A trace counts only once two sessions share it: most calls have a trace of their own.
 * @returns '' where nothing is known
 */
export function sessionTreeKey({ planId, traceId, session }: SessionTreeMember): string {
  if (planId !== '') return `plan:${planId}`;
  if (session.source === 'meta') return `conversation:${session.id}`;
  return traceId === '' ? '' : `trace:${traceId}`;
}
