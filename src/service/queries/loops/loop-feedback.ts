// Feedback on loops: storing it, and the thresholds that would have agreed with all of it, tried on past sessions.

import { setImmediate } from 'node:timers/promises';
import type {
  LoopFeedbackBody,
  StoredLoopFeedback,
  ThresholdProposalQuery,
  ThresholdProposalResponse,
} from '../../../contract/loop-feedback.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import { detectLoops } from '../../../core/loops/detector.ts';
import type { LoopCall } from '../../../core/loops/loop-call.ts';
import { type LoopFeedbackCase, proposeThresholds } from '../../../core/loops/propose-thresholds.ts';
import type { ThresholdTable } from '../../../core/loops/thresholds.ts';
import type { SessionIdentity } from '../../../core/model/session.ts';
import { UserError } from '../../../errors.ts';
import { LOOPS, type LoopRow } from '../../store/loop-rows.ts';
import { readSessionCalls } from '../../store/session-calls.ts';
import { readToolAnnotations } from '../../store/tool-annotations.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { getSessions } from '../sessions/sessions.ts';

/** The newest feedback is tried; each case needs the calls of a session. */
const MAX_CASES = 50;
const MAX_SESSIONS = 200;
/** Of each session; the detector takes 10 µs for a call. */
const MAX_CALLS = 1_000;
const MAX_CHANGED = 50;

/** @throws UserError NOT_FOUND if no loop or note of this id is stored */
export async function addLoopFeedback(
  { id, ...body }: LoopFeedbackBody & { readonly id: string },
  { store, loopFeedback, nowMs }: QueryContext,
): Promise<void> {
  const sql = 'SELECT count() AS n FROM loops WHERE id = {id:String}';
  if ((await queryNumber(store, { sql, params: { id } })) === 0)
    throw new UserError('NOT_FOUND', 'No loop of that id is stored.');
  if (loopFeedback === undefined)
    throw new UserError('INVALID_BODY', 'Feedback on loops cannot be stored here.');
  await loopFeedback.set({ loopId: id, ...body, at: new Date(nowMs).toISOString() });
}

export async function removeLoopFeedback(id: string, { loopFeedback }: QueryContext): Promise<void> {
  await loopFeedback?.remove(id);
}

export async function getThresholdProposal(
  { range, ...filters }: ResolvedQuery<ThresholdProposalQuery>,
  context: QueryContext,
): Promise<ThresholdProposalResponse> {
  const { thresholds: table = {} } = context;
  const feedback = (await context.loopFeedback?.list()) ?? [];
  const { cases, sentences } = await readCases(feedback.slice(-MAX_CASES), context);
  const { changes, table: proposed, agreed, unsatisfied } = proposeThresholds(cases, table);
  const byLoop = new Map(feedback.map((one) => [one.loopId, one]));
  return {
    range,
    feedback: { total: feedback.length, tried: cases.length, agreed: agreed.length },
    changes: [...changes],
    thresholdsFile: changes.length === 0 ? null : JSON.stringify(proposed, undefined, 2),
    unsatisfied: cases.flatMap(({ id, kind }) => {
      const own = byLoop.get(id);
      if (own === undefined || !unsatisfied.includes(id)) return [];
      return [
        { loopId: id, kind, verdict: own.verdict, reason: own.reason, sentence: sentences.get(id) ?? '' },
      ];
    }),
    history:
      changes.length === 0
        ? { sessions: 0, changed: [] }
        : await tryOnHistory({ query: { range, ...filters }, table, proposed }, context),
  };
}

interface Cases {
  readonly cases: readonly LoopFeedbackCase[];
  readonly sentences: ReadonlyMap<string, string>;
}

/** Feedback on loops whose calls have expired is left out. */
async function readCases(feedback: readonly StoredLoopFeedback[], context: QueryContext): Promise<Cases> {
  if (feedback.length === 0) return { cases: [], sentences: new Map() };
  const loops = await context.store.query({
    sql: `SELECT ${LOOPS.select} FROM loops FINAL WHERE id IN {ids:Array(String)} AND tree_id = '' ORDER BY onset, id`,
    params: { ids: feedback.map(({ loopId }) => loopId) },
    row: LOOPS.row,
  });
  const calls = await readCalls(loops.map(toSession), context);
  const verdicts = new Map(feedback.map(({ loopId, verdict }) => [loopId, verdict]));
  return {
    cases: loops.flatMap((loop) => {
      const own = calls.get(toKey(toSession(loop)))?.filter(({ startedAtUs }) => startedAtUs <= loop.lastUs);
      if (own === undefined || own.length === 0) return [];
      const { id, kind, server, tools, onsetUs, lastUs } = loop;
      return [{ id, kind, server, tools, onsetUs, lastUs, calls: own, isLoop: verdicts.get(id) === 'loop' }];
    }),
    sentences: new Map(loops.map(({ id, sentence }) => [id, sentence])),
  };
}

const toSession = ({ server, sessionSource, sessionId }: LoopRow): SessionIdentity => ({
  ...{ server, source: sessionSource, id: sessionId },
});
const toKey = ({ server, source, id }: SessionIdentity): string => JSON.stringify([server, source, id]);

/** The newest calls of each session with the hints of their tools, in one statement for each server. */
async function readCalls(
  sessions: readonly SessionIdentity[],
  { store }: QueryContext,
): Promise<ReadonlyMap<string, readonly LoopCall[]>> {
  const found = new Map<string, LoopCall[]>();
  if (sessions.length === 0) return found;
  const stored = await readSessionCalls(store, sessions, MAX_CALLS);
  const servers = [...new Set(sessions.map(({ server }) => server))];
  const annotations = new Map(
    await Promise.all(
      servers.map(async (server) => [server, await readToolAnnotations(store, server)] as const),
    ),
  );
  for (const { session, call } of stored) {
    const hints = annotations.get(session.server)?.get(call.toolName);
    const own = found.get(toKey(session)) ?? [];
    own.push(hints === undefined ? call : { ...call, annotations: hints });
    found.set(toKey(session), own);
  }
  return found;
}

interface HistoryOptions {
  readonly query: ResolvedQuery<ThresholdProposalQuery>;
  readonly table: ThresholdTable;
  readonly proposed: ThresholdTable;
}

/** The most recent sessions with at least two calls, under both tables. */
async function tryOnHistory(
  { query, table, proposed }: HistoryOptions,
  context: QueryContext,
): Promise<ThresholdProposalResponse['history']> {
  const { sessions } = await getSessions(
    { ...query, minCalls: 2, order: 'recent', limit: MAX_SESSIONS },
    context,
  );
  const identities = sessions.map(({ server, source, sessionId }) => ({ server, source, id: sessionId }));
  const calls = await readCalls(identities, context);
  const changed: ThresholdProposalResponse['history']['changed'] = [];
  for (const identity of identities) {
    const own = calls.get(toKey(identity)) ?? [];
    const [before, after] = [findLoop(own, table), findLoop(own, proposed)];
    if ((before === undefined) !== (after === undefined) && changed.length < MAX_CHANGED)
      changed.push({
        ...{ server: identity.server, source: identity.source, sessionId: identity.id },
        change: after === undefined ? 'silent' : 'fires',
        sentence: (after ?? before)?.sentence ?? '',
      });
    await setImmediate(); // a thousand calls take 20 ms, and the service must stay responsive
  }
  return { sessions: identities.length, changed };
}

const findLoop = (calls: readonly LoopCall[], table: ThresholdTable) =>
  detectLoops(calls, table).findings.find(({ severity }) => severity !== 'note');
