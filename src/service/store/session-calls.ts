// Session calls for the loop detector. New calls are read by ingest position, so that a late call is found
// like any other; a session's calls in start order. Only `tools/call` requests that a server answered
// definitively in a session with an identity; unrelated sessions are never merged.

import { z } from 'zod';
import type { LoopCall } from '../../core/loops/loop-call.ts';
import { OUTCOMES, OUTCOMES_NOT_COUNTED } from '../../core/model/outcome.ts';
import { SESSION_SOURCES, type SessionSource } from '../../core/model/session.ts';
import { RESULT_TRAITS } from '../../core/model/tool-call.ts';
import type { StoreQuery } from './store.ts';

/** The part of the store that reads. */
interface Reader {
  query<T>(query: StoreQuery<T>): Promise<T[]>;
}

export interface SessionIdentity {
  readonly server: string;
  readonly source: SessionSource;
  readonly id: string;
}

/** A call with its session and its ingest position. */
export interface SessionCall {
  readonly session: SessionIdentity;
  readonly environment: string;
  readonly client: string;
  readonly planId: string;
  readonly ingestNode: string;
  readonly ingestSeq: number;
  readonly call: LoopCall;
}

const hex = (value: string) => `if(${value} = 0, '', leftPad(lower(hex(${value})), 16, '0'))`;

const COLUMNS = `
      trace_id, span_id, server_name, session_source, session_id, environment, client_name, plan_id, tool_name,
      toUnixTimestamp64Micro(started_at) AS started_us, duration_us,
      outcome, error_code, error_message, error_argument, error_in_result, fingerprint_key_id,
      ${hex('error_fingerprint')} AS error_hex,
      ${hex('arguments_fingerprint')} AS arguments_hex,
      ${hex('arguments_masked_fingerprint')} AS arguments_masked_hex,
      mapApply((name, value) -> (name, ${hex('value')}), argument_fingerprints) AS argument_hexes,
      arguments_bytes,
      ${hex('result_fingerprint')} AS result_hex,
      ${hex('result_masked_fingerprint')} AS result_masked_hex,
      ${hex('result_similarity')} AS similarity_hex,
      result_trait, result_lines, result_bytes, ingest_node, ingest_seq`;

// The list is ours and holds no quote.
const COUNTED = `side = 'server' AND method = 'tools/call' AND session_id != '' AND session_source != 'none'
      AND outcome NOT IN (${OUTCOMES_NOT_COUNTED.map((outcome) => `'${outcome}'`).join(', ')})`;

const count = z.coerce.number().int().nonnegative();

const Row = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  server_name: z.string(),
  session_source: z.enum(SESSION_SOURCES),
  session_id: z.string(),
  environment: z.string(),
  client_name: z.string(),
  plan_id: z.string(),
  tool_name: z.string(),
  started_us: count,
  duration_us: count,
  outcome: z.enum(OUTCOMES),
  error_code: z.string(),
  error_message: z.string(),
  error_argument: z.string(),
  error_hex: z.string(),
  error_in_result: count,
  fingerprint_key_id: z.string(),
  arguments_hex: z.string(),
  arguments_masked_hex: z.string(),
  argument_hexes: z.record(z.string(), z.string()),
  arguments_bytes: count,
  result_hex: z.string(),
  result_masked_hex: z.string(),
  similarity_hex: z.string(),
  result_trait: z.enum(['', ...RESULT_TRAITS]),
  result_lines: count,
  result_bytes: count,
  ingest_node: z.string(),
  ingest_seq: count,
});
type Row = z.infer<typeof Row>;

/** A piece of what one node took: after one position, up to and including another. */
export interface NewCallsRange {
  readonly node: string;
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

/**
 * The next calls of one node, in the order it took them. The minmax index on `ingest_seq` leaves few granules to read.
 * @throws UpstreamError as `Store` does
 */
export async function readNewCalls(
  reader: Reader,
  { node, after, upTo, limit }: NewCallsRange,
): Promise<SessionCall[]> {
  const rows = await reader.query({
    sql: `
    SELECT ${COLUMNS}
    FROM calls
    WHERE ingest_node = {node:String} AND ingest_seq > {after:UInt64} AND ingest_seq <= {up_to:UInt64}
      AND ${COUNTED}
    ORDER BY ingest_seq
    LIMIT {limit:UInt32}`,
    params: { node, after, up_to: upTo, limit },
    row: Row,
  });
  return rows.map(toSessionCall);
}

/** The newest calls of one node up to a position that began no earlier than that. */
export interface RecentCallsRange {
  readonly node: string;
  readonly upTo: number;
  /** Microseconds since the epoch. */
  readonly sinceUs: number;
  readonly limit: number;
}

/**
 * Recently read calls in the node's order, for trackers that watch over minutes.
 *
 * @throws UpstreamError as `Store` does
 */
export async function readRecentCalls(
  reader: Reader,
  { node, upTo, sinceUs, limit }: RecentCallsRange,
): Promise<SessionCall[]> {
  const rows = await reader.query({
    sql: `
    SELECT ${COLUMNS}
    FROM calls
    WHERE ingest_node = {node:String} AND ingest_seq <= {up_to:UInt64}
      AND started_at >= fromUnixTimestamp64Micro({since_us:Int64}, 'UTC')
      AND ${COUNTED}
    ORDER BY ingest_seq DESC
    LIMIT {limit:UInt32}`,
    params: { node, up_to: upTo, since_us: sinceUs, limit },
    row: Row,
  });
  return rows.map(toSessionCall).reverse();
}

/** The identities as a set that a sort key can be compared with. */
export const IN_SESSIONS = `(server_name, session_source, session_id) IN (
      SELECT identity.1, identity.2, identity.3
      FROM (SELECT arrayJoin(arrayZip({servers:Array(String)}, {sources:Array(String)}, {ids:Array(String)})) AS identity)
    )`;

export function toSessionParams(sessions: readonly SessionIdentity[]) {
  return {
    servers: sessions.map(({ server }) => server),
    sources: sessions.map(({ source }) => source),
    ids: sessions.map(({ id }) => id),
  };
}

/**
 * The newest calls of some sessions, in the order they began; those of several sessions are mixed. `sessions` says between
 * which times they lie, so that the bloom filter on the session id is asked of few parts.
 *
 * @param limit of each session
 * @throws UpstreamError as `Store` does
 */
export async function readSessionCalls(
  reader: Reader,
  sessions: readonly SessionIdentity[],
  limit: number,
): Promise<SessionCall[]> {
  const rows = await reader.query({
    sql: `
    WITH (SELECT (min(started_at), max(ended_at)) FROM sessions WHERE ${IN_SESSIONS}) AS bounds
    SELECT ${COLUMNS}
    FROM (
      SELECT *
      FROM calls
      WHERE session_id IN {ids:Array(String)} AND ${IN_SESSIONS}
        AND started_at >= bounds.1 AND started_at <= bounds.2
        AND ${COUNTED}
      ORDER BY started_at DESC, trace_id DESC, span_id DESC
      LIMIT 1 BY trace_id, span_id
    )
    ORDER BY started_at DESC, trace_id DESC, span_id DESC
    LIMIT ${Math.trunc(limit)} BY server_name, session_source, session_id`,
    params: toSessionParams(sessions),
    row: Row,
  });
  return rows.map(toSessionCall).reverse();
}

const SizeRow = z.object({
  server_name: z.string(),
  session_source: z.enum(SESSION_SOURCES),
  session_id: z.string(),
  n: count,
});

/**
 * How many calls each of these sessions has in the store.
 * @throws UpstreamError as `Store` does
 */
export async function countSessionCalls(
  reader: Reader,
  sessions: readonly SessionIdentity[],
): Promise<{ session: SessionIdentity; calls: number }[]> {
  const rows = await reader.query({
    sql: `
    SELECT server_name, session_source, session_id, sum(calls) AS n
    FROM sessions
    WHERE ${IN_SESSIONS}
    GROUP BY server_name, session_source, session_id`,
    params: toSessionParams(sessions),
    row: SizeRow,
  });
  return rows.map((row) => ({
    session: { server: row.server_name, source: row.session_source, id: row.session_id },
    calls: row.n,
  }));
}

function toSessionCall(row: Row): SessionCall {
  return {
    session: { server: row.server_name, source: row.session_source, id: row.session_id },
    environment: row.environment,
    client: row.client_name,
    planId: row.plan_id,
    ingestNode: row.ingest_node,
    ingestSeq: row.ingest_seq,
    call: {
      traceId: row.trace_id,
      spanId: row.span_id,
      serverName: row.server_name,
      toolName: row.tool_name,
      startedAtUs: row.started_us,
      durationUs: row.duration_us,
      outcome: row.outcome,
      errorCode: row.error_code,
      errorMessage: row.error_message,
      errorArgument: row.error_argument,
      errorFingerprint: row.error_hex,
      errorInResult: row.error_in_result !== 0,
      fingerprintKeyId: row.fingerprint_key_id,
      argumentsFingerprint: row.arguments_hex,
      argumentsMaskedFingerprint: row.arguments_masked_hex,
      argumentFingerprints: row.argument_hexes,
      argumentsBytes: row.arguments_bytes,
      resultFingerprint: row.result_hex,
      resultMaskedFingerprint: row.result_masked_hex,
      resultSimilarity: row.similarity_hex,
      resultTrait: row.result_trait,
      resultLines: row.result_lines,
      resultBytes: row.result_bytes,
    },
  };
}
