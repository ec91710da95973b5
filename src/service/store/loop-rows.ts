// Reads and writes loops. A row is never changed, only rewritten with a higher revision; FINAL returns the
// newest revision and excludes withdrawn loops.

import { z } from 'zod';
import { FINDING_KINDS } from '../../core/model/loop-kinds.ts';
import type { LoopRecord } from '../../core/model/loop-record.ts';
import { LOOP_CAUSES, LOOP_SEVERITIES, LOOP_STATES } from '../../core/model/loop-record.ts';
import { SESSION_SOURCES, type SessionIdentity } from '../../core/model/session.ts';
import { createRowCodec, flag, instant, json, number, oneOf, text, texts } from './row-codec.ts';
import { IN_SESSIONS, toSessionParams } from './session-calls.ts';
import { insertOnce, type StoreReader, type StoreWriter } from './store.ts';

/** A loop with its revision number. */
export interface LoopRevision {
  readonly record: LoopRecord;
  readonly revision: number;
}

/** A row of `loops`. */
export type LoopRow = LoopRecord & Pick<LoopRevision, 'revision'>;

export const LOOPS = createRowCodec<LoopRow>({
  id: text('id'),
  server: text('server_name'),
  environment: text('environment'),
  sessionSource: oneOf('session_source', SESSION_SOURCES),
  sessionId: text('session_id'),
  client: text('client_name'),
  planId: text('plan_id'),
  stormId: text('storm_id'),
  treeId: text('tree_id'),
  treeSessions: number('tree_sessions'),
  kind: oneOf('kind', FINDING_KINDS),
  severity: oneOf('severity', LOOP_SEVERITIES),
  state: oneOf('state', LOOP_STATES),
  tools: texts('tools'),
  period: number('period'),
  repeats: number('repeats'),
  wastedCalls: number('wasted_calls'),
  wastedUs: number('wasted_us'),
  wastedTokens: number('wasted_tokens'),
  onsetUs: instant('onset'),
  lastUs: instant('last_at'),
  detectedUs: instant('detected_at'),
  sentence: text('sentence'),
  cause: oneOf('cause', LOOP_CAUSES),
  causeSentence: text('cause_sentence'),
  evidence: json<readonly object[]>('evidence', z.array(z.looseObject({}))),
  thresholds: json('thresholds', z.record(z.string(), z.number())),
  detectorVersion: number('detector_version'),
  withdrawn: flag('withdrawn'),
  revision: number('revision'),
});

const toRevision = ({ revision, ...record }: LoopRow): LoopRevision => ({ revision, record });

/**
 * The loops of some sessions, oldest first, including withdrawn ones, since a loop that is found again
 * continues its revisions.
 *
 * @throws UpstreamError as `Store` does
 */
export async function readSessionLoops(
  store: StoreReader,
  sessions: readonly SessionIdentity[],
): Promise<LoopRevision[]> {
  const rows = await store.query({
    sql: `
    SELECT ${LOOPS.select}
    FROM loops
    WHERE ${IN_SESSIONS}
    ORDER BY revision DESC
    LIMIT 1 BY server_name, session_source, session_id, id`,
    params: toSessionParams(sessions),
    row: LOOPS.row,
  });
  return rows.map(toRevision).sort((a, b) => a.record.onsetUs - b.record.onsetUs);
}

/**
 * Active loops, and those whose newest call is not older than `sinceUs`.
 *
 * @param sinceUs microseconds since the epoch
 * @throws UpstreamError as `Store` does
 */
export async function readOpenLoops(store: StoreReader, sinceUs: number): Promise<LoopRevision[]> {
  const rows = await store.query({
    sql: `
    SELECT ${LOOPS.select}
    FROM loops FINAL
    WHERE state = 'active' OR last_at >= fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')
    ORDER BY onset, id`,
    params: { since_us: sinceUs },
    row: LOOPS.row,
  });
  return rows.map(toRevision);
}

/**
 * Writes revisions; rewriting the same ones is idempotent.
 *
 * @throws UpstreamError as `Store` does
 */
export async function writeLoops(store: StoreWriter, revisions: readonly LoopRevision[]): Promise<void> {
  const rows = revisions.map(({ record, revision }) => LOOPS.toColumns({ ...record, revision }));
  await insertOnce(store, 'loops', rows);
}
