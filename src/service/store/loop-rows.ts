// Reads and writes loops. A row is never changed, only rewritten with a higher revision; FINAL returns the
// newest revision and excludes withdrawn loops.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LOOP_CAUSES } from '../../core/model/loop-cause.ts';
import { FINDING_KINDS, LOOP_SEVERITIES, LOOP_STATES } from '../../core/model/loop-notice.ts';
import type { LoopRecord } from '../../core/model/loop-record.ts';
import { SESSION_SOURCES } from '../../core/model/session.ts';
import { IN_SESSIONS, type SessionIdentity, toSessionParams } from './session-calls.ts';
import type { StoreQuery } from './store.ts';

/** A loop with its revision number. */
export interface LoopRevision {
  readonly record: LoopRecord;
  readonly revision: number;
}

/** What is selected FROM loops FINAL. */
export const LOOP_COLUMNS = `
      id, server_name, environment, session_source, session_id, client_name, plan_id,
      storm_id, tree_id, tree_sessions, kind, severity, state, tools,
      period, repeats, wasted_calls, wasted_us, wasted_tokens,
      toUnixTimestamp64Micro(onset) AS onset_us,
      toUnixTimestamp64Micro(last_at) AS last_us,
      toUnixTimestamp64Micro(detected_at) AS detected_us,
      sentence, cause, cause_sentence, evidence, thresholds, detector_version, withdrawn, revision`;

const count = z.coerce.number().int().nonnegative();

export const LoopColumns = z.object({
  id: z.string(),
  server_name: z.string(),
  environment: z.string(),
  session_source: z.enum(SESSION_SOURCES),
  session_id: z.string(),
  client_name: z.string(),
  plan_id: z.string(),
  storm_id: z.string(),
  tree_id: z.string(),
  tree_sessions: count,
  kind: z.enum(FINDING_KINDS),
  severity: z.enum(LOOP_SEVERITIES),
  state: z.enum(LOOP_STATES),
  tools: z.array(z.string()),
  period: count,
  repeats: count,
  wasted_calls: count,
  wasted_us: count,
  wasted_tokens: count,
  onset_us: count,
  last_us: count,
  detected_us: count,
  sentence: z.string(),
  cause: z.enum(LOOP_CAUSES),
  cause_sentence: z.string(),
  evidence: z.string().transform((text, context) => parseJson(z.array(z.looseObject({})), text, context)),
  thresholds: z
    .string()
    .transform((text, context) => parseJson(z.record(z.string(), z.number()), text, context)),
  detector_version: count,
  withdrawn: count,
  revision: count,
});
export type LoopColumns = z.infer<typeof LoopColumns>;

function parseJson<T>(schema: z.ZodType<T>, text: string, context: z.RefinementCtx): T {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // Invalid JSON is reported by the issue below.
  }
  context.addIssue({ code: 'custom', message: 'is not the JSON it should be' });
  return z.NEVER;
}

export function toLoopRevision(row: LoopColumns): LoopRevision {
  return {
    revision: row.revision,
    record: {
      id: row.id,
      server: row.server_name,
      environment: row.environment,
      sessionId: row.session_id,
      sessionSource: row.session_source,
      client: row.client_name,
      planId: row.plan_id,
      stormId: row.storm_id,
      treeId: row.tree_id,
      treeSessions: row.tree_sessions,
      kind: row.kind,
      severity: row.severity,
      state: row.state,
      tools: row.tools,
      period: row.period,
      repeats: row.repeats,
      wastedCalls: row.wasted_calls,
      wastedUs: row.wasted_us,
      wastedTokens: row.wasted_tokens,
      onsetUs: row.onset_us,
      lastUs: row.last_us,
      detectedUs: row.detected_us,
      sentence: row.sentence,
      cause: row.cause,
      causeSentence: row.cause_sentence,
      evidence: row.evidence,
      thresholds: row.thresholds,
      detectorVersion: row.detector_version,
      withdrawn: row.withdrawn !== 0,
    },
  };
}

interface LoopStore {
  query<T>(query: StoreQuery<T>): Promise<T[]>;
  insert(table: string, ndjson: Uint8Array, token: string): Promise<void>;
}

/**
 * The loops of some sessions, oldest first, including withdrawn ones, since a loop that is found again
 * continues its revisions.
 *
 * @throws UpstreamError as `Store` does
 */
export async function readSessionLoops(
  store: Pick<LoopStore, 'query'>,
  sessions: readonly SessionIdentity[],
): Promise<LoopRevision[]> {
  const rows = await store.query({
    sql: `
    SELECT ${LOOP_COLUMNS}
    FROM loops
    WHERE ${IN_SESSIONS}
    ORDER BY revision DESC
    LIMIT 1 BY server_name, session_source, session_id, id`,
    params: toSessionParams(sessions),
    row: LoopColumns,
  });
  return rows.map(toLoopRevision).sort((a, b) => a.record.onsetUs - b.record.onsetUs);
}

/**
 * Active loops, and those whose newest call is not older than `sinceUs`.
 *
 * @param sinceUs microseconds since the epoch
 * @throws UpstreamError as `Store` does
 */
export async function readOpenLoops(
  store: Pick<LoopStore, 'query'>,
  sinceUs: number,
): Promise<LoopRevision[]> {
  const rows = await store.query({
    sql: `
    SELECT ${LOOP_COLUMNS}
    FROM loops FINAL
    WHERE state = 'active' OR last_at >= fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')
    ORDER BY onset, id`,
    params: { since_us: sinceUs },
    row: LoopColumns,
  });
  return rows.map(toLoopRevision);
}

/**
 * Writes revisions; rewriting the same ones is idempotent.
 *
 * @throws UpstreamError as `Store` does
 */
export async function writeLoops(
  store: Pick<LoopStore, 'insert'>,
  revisions: readonly LoopRevision[],
): Promise<void> {
  if (revisions.length === 0) return;
  const rows = Buffer.from(revisions.map((revision) => `${JSON.stringify(toRow(revision))}\n`).join(''));
  await store.insert('loops', rows, `loops-${createHash('sha256').update(rows).digest('hex').slice(0, 32)}`);
}

function toRow({ record, revision }: LoopRevision) {
  return {
    id: record.id,
    server_name: record.server,
    environment: record.environment,
    session_source: record.sessionSource,
    session_id: record.sessionId,
    client_name: record.client,
    plan_id: record.planId,
    storm_id: record.stormId,
    tree_id: record.treeId,
    tree_sessions: record.treeSessions,
    kind: record.kind,
    severity: record.severity,
    state: record.state,
    tools: record.tools,
    period: record.period,
    repeats: record.repeats,
    wasted_calls: record.wastedCalls,
    wasted_us: record.wastedUs,
    wasted_tokens: record.wastedTokens,
    onset: toColumnTime(record.onsetUs),
    last_at: toColumnTime(record.lastUs),
    detected_at: toColumnTime(record.detectedUs),
    sentence: record.sentence,
    cause: record.cause,
    cause_sentence: record.causeSentence,
    evidence: JSON.stringify(record.evidence),
    thresholds: JSON.stringify(record.thresholds),
    detector_version: record.detectorVersion,
    withdrawn: record.withdrawn ? 1 : 0,
    revision,
  };
}

/** `YYYY-MM-DD hh:mm:ss.ffffff` in UTC. */
function toColumnTime(us: number): string {
  const ms = Math.floor(us / 1000);
  const text = new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
  return `${text}${String(us - ms * 1000).padStart(3, '0')}`;
}
