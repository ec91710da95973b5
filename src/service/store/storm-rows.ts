// Reads and writes storms. Like a loop, a storm is rewritten with a higher revision; FINAL returns the newest.

import { z } from 'zod';
import { LOOP_CAUSES, LOOP_STATES } from '../../core/model/loop-record.ts';
import { SESSION_SOURCES, type SessionIdentity } from '../../core/model/session.ts';
import { STORM_KINDS, type StormRecord } from '../../core/model/storm-record.ts';
import { count, createRowCodec, flag, instant, number, oneOf, text, texts } from './row-codec.ts';
import { insertOnce, type StoreReader, type StoreWriter } from './store.ts';

export interface StormRevision {
  readonly record: StormRecord;
  readonly revision: number;
}

/** A row of `storms`. */
export type StormRow = StormRecord & Pick<StormRevision, 'revision'>;

export const STORMS = createRowCodec<StormRow>({
  id: text('id'),
  server: text('server_name'),
  environment: text('environment'),
  kind: oneOf('kind', STORM_KINDS),
  code: text('code'),
  template: text('template'),
  tools: texts('tools'),
  sessions: number('sessions'),
  isEverybody: flag('everybody'),
  calls: number('calls'),
  firstUs: instant('first_at'),
  lastUs: instant('last_at'),
  state: oneOf('state', LOOP_STATES),
  sentence: text('sentence'),
  cause: oneOf('cause', LOOP_CAUSES),
  revision: number('revision'),
});

/**
 * Active storms, and those whose newest call is not older than `sinceUs`.
 *
 * @param sinceUs microseconds since the epoch
 * @throws UpstreamError as `Store` does
 */
export async function readOpenStorms(store: StoreReader, sinceUs: number): Promise<StormRevision[]> {
  const rows = await store.query({
    sql: `
    SELECT ${STORMS.select}
    FROM storms FINAL
    WHERE state = 'active' OR last_at >= fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')
    ORDER BY first_at, id`,
    params: { since_us: sinceUs },
    row: STORMS.row,
  });
  return rows.map(({ revision, ...record }) => ({ revision, record }));
}

/** Writes revisions; rewriting the same ones is idempotent. @throws UpstreamError as `Store` does */
export async function writeStorms(store: StoreWriter, revisions: readonly StormRevision[]): Promise<void> {
  const rows = revisions.map(({ record, revision }) => STORMS.toColumns({ ...record, revision }));
  await insertOnce(store, 'storms', rows);
}

/** Calls of one session that may belong to a storm. */
export interface StormSession {
  readonly session: SessionIdentity;
  /** As captured; the same failure may have several. */
  readonly errorMessage: string;
  readonly calls: number;
}

/** The calls of one node up to an ingest position. */
export interface StormSessionsRange {
  readonly node: string;
  readonly upTo: number;
}

const SessionRow = z.object({
  server: z.string(),
  source: z.enum(SESSION_SOURCES),
  session: z.string(),
  message: z.string(),
  n: count,
});
const MAX_STORM_SESSIONS = 50_000;

/**
 * The sessions of a storm: for a failure by their calls with that code, for a loop by the loops with its id.
 *
 * @throws UpstreamError as `Store` does
 */
export async function readStormSessions(
  store: StoreReader,
  { id, server, environment, kind, code, firstUs }: StormRecord,
  { node, upTo }: StormSessionsRange,
): Promise<StormSession[]> {
  const calls = `
    SELECT server_name AS server, session_source AS source, session_id AS session, error_message AS message, count() AS n
    FROM calls
    WHERE server_name = {server:String} AND environment = {environment:String} AND side = 'server'
      AND method = 'tools/call' AND session_id != '' AND ingest_node = {node:String} AND ingest_seq <= {up_to:UInt64}
      AND if(error_code = '', toString(outcome), toString(error_code)) = {code:String}
      AND started_at >= fromUnixTimestamp64Micro({first_us:Int64}, 'UTC')
    GROUP BY server, source, session, message`;
  const loops = `
    SELECT server_name AS server, session_source AS source, session_id AS session, '' AS message, sum(wasted_calls) AS n
    FROM loops FINAL
    WHERE storm_id = {id:String}
    GROUP BY server, source, session`;
  const rows = await store.query({
    sql: `${kind === 'failure' ? calls : loops}\n    LIMIT ${MAX_STORM_SESSIONS}`,
    params: { id, server, environment, code, node, up_to: upTo, first_us: firstUs },
    row: SessionRow,
  });
  return rows.map(({ server: name, source, session, message, n }) => ({
    session: { server: name, source, id: session },
    errorMessage: message,
    calls: n,
  }));
}
