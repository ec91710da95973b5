// The loop detector on the stored calls of one session, run on request. Besides loops it tells why a long
// session is none, near misses, and what could not be evaluated; these results are not stored.

import type { SessionNearMisses } from '../../../contract/loops.ts';
import { detectLoops } from '../../../core/loops/detector.ts';
import type { ThresholdTable } from '../../../core/loops/thresholds.ts';
import type { SessionIdentity } from '../../../core/model/session.ts';
import { readSessionCalls } from '../../store/session-calls.ts';
import { readToolAnnotations } from '../../store/tool-annotations.ts';
import type { QueryContext } from '../query/query-context.ts';

/** Only the newest calls of a longer session are used; 10,000 calls take about 0.1 s. */
const MAX_CALLS = 10_000;

/** @returns what the detector finds in the calls, and their number; 0 if they have expired */
export async function detectSessionLoops(
  session: SessionIdentity,
  thresholds: ThresholdTable | undefined,
  { store }: QueryContext,
) {
  const [stored, annotations] = await Promise.all([
    readSessionCalls(store, [session], MAX_CALLS),
    readToolAnnotations(store, session.server),
  ]);
  const calls = stored.map(({ call }) => {
    const hints = annotations.get(call.toolName);
    return hints === undefined ? call : { ...call, annotations: hints };
  });
  return { sessionCalls: calls.length, ...detectLoops(calls, thresholds) };
}

/** @returns empty for a session whose calls have expired */
export async function readNearMisses(
  session: SessionIdentity,
  context: QueryContext,
): Promise<SessionNearMisses> {
  const { whyNot, limits, findings } = await detectSessionLoops(session, context.thresholds, context);
  return {
    whyNot: whyNot ?? null,
    limits: limits ?? null,
    notes: findings
      .filter(({ severity }) => severity === 'note')
      .map(({ kind, sentence }) => ({ kind, sentence })),
  };
}
