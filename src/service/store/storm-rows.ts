// Reads and writes storms, like loops: rewritten with a higher revision; FINAL returns the newest.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { LOOP_CAUSES } from '../../core/model/loop-cause.ts';
import { LOOP_STATES } from '../../core/model/loop-notice.ts';
import { SESSION_SOURCES } from '../../core/model/session.ts';
import { STORM_KINDS, type StormRecord } from '../../core/model/storm-record.ts';
import { formatDateTime64 } from './format-date-time64.ts';
import type { SessionIdentity } from './session-calls.ts';
import type { StoreQuery } from './store.ts';

export interface StormRevision {
  readonly record: StormRecord;
  readonly revision: number;
}

/** What is selected FROM storms FINAL. */
export const STORM_COLUMNS = `
      id, server_name, environment, kind, code, template, tools, sessions, everybody, calls,
      toUnixTimestamp64Micro(first_at) AS first_us,
      toUnixTimestamp64Micro(last_at) AS last_us,
      state, sentence, cause, revision`;

const count = z.coerce.number().int().nonnegative();

export const StormColumns = z.object({
  id: z.string(),
  server_name: z.string(),
  environment: z.string(),
  kind: z.enum(STORM_KINDS),
  code: z.string(),
  template: z.string(),
  tools: z.array(z.string()),
  sessions: count,
  everybody: count,
  calls: count,
  first_us: count,
  last_us: count,
  state: z.enum(LOOP_STATES),
  sentence: z.string(),
  cause: z.enum(LOOP_CAUSES),
  revision: count,
});
export type StormColumns = z.infer<typeof StormColumns>;

export function toStormRevision(row: StormColumns): StormRevision {
  const { id, environment, kind, code, template, tools, sessions, calls, state, sentence, cause } = row;
  return {
    revision: row.revision,
    record: {
      ...{ id, environment, kind, code, template, tools, sessions, calls, state, sentence, cause },
      server: row.server_name,
      isEverybody: row.everybody !== 0,
      firstUs: row.first_us,
      lastUs: row.last_us,
    },
  };
}

interface StormStore {
  query<T>(query: StoreQuery<T>): Promise<T[]>;
  insert(table: string, ndjson: Uint8Array, token: string): Promise<void>;
}

/**
 * The storms that go on, and those whose newest call is no older than that.
 * @param sinceUs microseconds since the epoch
 * @throws UpstreamError as `Store` does
 */
export async function readOpenStorms(
  store: Pick<StormStore, 'query'>,
  sinceUs: number,
): Promise<StormRevision[]> {
  const rows = await store.query({
    sql: `
    SELECT ${STORM_COLUMNS}
    FROM storms FINAL
    WHERE state = 'active' OR last_at >= fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')
    ORDER BY first_at, id`,
    params: { since_us: sinceUs },
    row: StormColumns,
  });
  return rows.map(toStormRevision);
}

/** Writes revisions; the same ones a second time change nothing. @throws UpstreamError as `Store` does */
export async function writeStorms(
  store: Pick<StormStore, 'insert'>,
  revisions: readonly StormRevision[],
): Promise<void> {
  if (revisions.length === 0) return;
  const rows = Buffer.from(revisions.map((revision) => `${JSON.stringify(toRow(revision))}\n`).join(''));
  const token = createHash('sha256').update(rows).digest('hex').slice(0, 32);
  await store.insert('storms', rows, `storms-${token}`);
}

function toRow({ record, revision }: StormRevision) {
  const { id, environment, kind, code, template, tools, sessions, calls, state, sentence, cause } = record;
  return {
    ...{ id, environment, kind, code, template, tools, sessions, calls, state, sentence, cause, revision },
    server_name: record.server,
    everybody: record.isEverybody ? 1 : 0,
    first_at: formatDateTime64(record.firstUs),
    last_at: formatDateTime64(record.lastUs),
  };
}

/** Calls of one session that may belong to a storm. */
export interface StormSession {
  readonly session: SessionIdentity;
  /** As captured; the same failure may have several. */
  readonly errorMessage: string;
  readonly calls: number;
}

/** What of the calls of one node is counted. */
export interface StormSessionsRange {
  readonly node: string;
  readonly upTo: number;
}

const StormSessionTableRow = z.object({
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
  store: Pick<StormStore, 'query'>,
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
    row: StormSessionTableRow,
  });
  return rows.map(({ server: name, source, session, message, n }) => ({
    session: { server: name, source, id: session },
    errorMessage: message,
    calls: n,
  }));
}
