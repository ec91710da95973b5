// What the detector made of a session beside its loops: why a long one is none, what came near, what could not be judged. It
// is worked out when somebody looks, by the detector itself over the session's calls, and kept nowhere.

import type { SessionNearMisses } from '../../../contract/loops.ts';
import { detectLoops } from '../../../core/loops/detect-loops.ts';
import type { SessionSource } from '../../../core/model/session.ts';
import { readSessionCalls } from '../../store/session-calls.ts';
import { readToolAnnotations } from '../../store/tool-annotations.ts';
import type { QueryContext } from '../query/query-context.ts';

/** Of a longer session the newest calls are judged; 10,000 take about a tenth of a second. */
const MAX_CALLS = 10_000;

interface SessionKey {
  readonly server_name: string;
  readonly session_source: SessionSource;
  readonly session_id: string;
}

/** @returns nothing to say of a session whose calls are no longer kept */
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
