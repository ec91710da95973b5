// Which sessions belong to one agent run: those with the same plan id, else the same remote trace, else the
// same conversation id. Sessions with none of these stay alone.

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
