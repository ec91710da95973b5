// The detector's other results for a session: why a long session is not a loop, near misses, and what could
// not be evaluated. They are computed on request by running the detector on the session's calls, and are not
// stored.

import type { SessionNearMisses } from '../../../contract/loops.ts';
import { detectLoops } from '../../../core/loops/detect-loops.ts';
import type { SessionSource } from '../../../core/model/session.ts';
import { readSessionCalls } from '../../store/session-calls.ts';
import { readToolAnnotations } from '../../store/tool-annotations.ts';
import type { QueryContext } from '../query/query-context.ts';

/** Only the newest calls of a longer session are used; 10,000 calls take about 0.1 s. */
const MAX_CALLS = 10_000;

interface SessionKey {
  readonly server_name: string;
  readonly session_source: SessionSource;
  readonly session_id: string;
}

/** \n@returns empty for a session whose calls have expired */
export async function readNearMisses(
  { server_name, session_source, session_id }: SessionKey,
  { store, thresholds }: QueryContext,
): Promise<SessionNearMisses> {
  const identity = { server: server_name, source: session_source, id: session_id };
  const [stored, annotations] = await Promise.all([
    readSessionCalls(store, [identity], MAX_CALLS),
    readToolAnnotations(store, server_name),
  ]);
  const calls = stored.map(({ call }) => {
    const hints = annotations.get(call.toolName);
    return hints === undefined ? call : { ...call, annotations: hints };
  });
  const { whyNot, limits, findings } = detectLoops(calls, thresholds);
  return {
    whyNot: whyNot ?? null,
    limits: limits ?? null,
    notes: findings
      .filter(({ severity }) => severity === 'note')
      .map(({ kind, sentence }) => ({ kind, sentence })),
  };
}
