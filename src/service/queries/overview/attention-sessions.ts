// Sessions that deserve attention: every call failed, the last call failed, or more than thirty calls; and
// clients whose sessions make no calls. The conditions are those of the session list's filters, so that
// totals match. Names and failures are read only for the listed sessions.

import { z } from 'zod';
import type { AttentionItem } from '../../../contract/overview.ts';
import { SESSION_SOURCES } from '../../../core/model/session.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import type { Where } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY, IDENTITY_HASH } from '../query/session-identity.ts';
import { BOOT_SESSIONS, uncalledSessions } from '../sessions/session-kinds.ts';
import type { SessionScope } from '../sessions/session-scope.ts';
import { readTopSessions, type TopSession } from '../sessions/top-sessions.ts';
import {
  describeSessionAttention,
  describeUncalledAttention,
  NO_SESSION,
  type SessionKind,
  type SessionStats,
} from './describe-attention.ts';

/** More than are shown, because a session may already be listed under an earlier kind. */
const MAX_PER_KIND = 6;
const SESSION_KINDS: readonly SessionKind[] = ['all_failed', 'ended_after_error', 'over_thirty'];

/** A session with the kind it is listed under. */
interface SessionOfKind extends TopSession {
  readonly kind: SessionKind;
}

const NameRow = z.object({
  hash: z.string(),
  server: z.string(),
  source: z.enum(SESSION_SOURCES),
  id: z.string(),
  client: z.string(),
  tools: count,
});
type NameRow = z.infer<typeof NameRow>;

const CallsRow = z.object({
  hash: z.string(),
  last_tool: z.string(),
  last_code: z.string(),
  most: z.tuple([z.string(), z.string(), count]),
});
type CallsRow = z.infer<typeof CallsRow>;

export interface SessionAttention {
  readonly items: Readonly<Record<SessionKind, readonly AttentionItem[]>>;
  readonly totals: Readonly<Record<SessionKind, number>>;
}

/** The sessions of each kind with the most calls, and their number. */
export async function readSessionAttention(
  scope: SessionScope,
  context: QueryContext,
): Promise<SessionAttention> {
  const { counts, tops } = await readTopSessions(scope, context);
  const rows = SESSION_KINDS.flatMap((kind) =>
    tops[kind].slice(0, MAX_PER_KIND).map((top) => ({ kind, ...top })),
  );
  const names = await readSessionNames(rows, context);
  const calls = await readSessionFailures(rows.filter(needsFailures), names, context);
  const itemsOf = (kind: SessionKind): AttentionItem[] =>
    rows
      .filter((row) => row.kind === kind)
      .flatMap((row) => {
        const name = names.get(row.hash);
        return name === undefined ? [] : [toSessionItem(row, name, calls.get(row.hash))];
      });
  return {
    items: {
      all_failed: itemsOf('all_failed'),
      ended_after_error: itemsOf('ended_after_error'),
      over_thirty: itemsOf('over_thirty'),
    },
    totals: counts,
  };
}

async function readSessionNames(
  rows: readonly SessionOfKind[],
  { store }: QueryContext,
): Promise<Map<string, NameRow>> {
  if (rows.length === 0) return new Map();
  const names = await store.query({
    sql: `
    SELECT
      toString(${IDENTITY_HASH}) AS hash,
      server_name AS server,
      session_source AS source,
      session_id AS id,
      max(client_name) AS client,
      length(groupUniqArrayArray(tools)) AS tools
    FROM sessions
    WHERE day >= toDate(fromUnixTimestamp64Micro({first_us:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Micro({last_us:Int64}, 'UTC'))
      AND identity_hash IN {hashes:Array(UInt64)}
    GROUP BY ${IDENTITY}`,
    params: toNameParams(rows),
    row: NameRow,
  });
  return new Map(names.map((name) => [name.hash, name]));
}

/** Long sessions are described by counts only. */
const needsFailures = ({ kind, errors }: SessionOfKind): boolean => kind !== 'over_thirty' && errors > 0;

/**
 * Skips sessions whose calls have expired. Each session lies in one or two granules of its server's calls.
 */
async function readSessionFailures(
  rows: readonly SessionOfKind[],
  names: ReadonlyMap<string, NameRow>,
  { store }: QueryContext,
): Promise<Map<string, CallsRow>> {
  const where = inSessions(rows, names);
  if (where.sql === '') return new Map();
  const found = await store.query({
    sql: `
    SELECT
      toString(hash_of) AS hash,
      argMax(tool, newest) AS last_tool,
      argMax(code, newest) AS last_code,
      argMax((tool, code, failures), (failures, tool, code)) AS most
    FROM (
      SELECT
        ${IDENTITY_HASH} AS hash_of,
        toString(tool_name) AS tool,
        toString(error_code) AS code,
        countIf(fault != 'none') AS failures,
        max(started_at) AS newest
      FROM calls
      WHERE (${where.sql}) AND ${COUNTED_CALLS}
      GROUP BY hash_of, tool, code
    )
    GROUP BY hash_of`,
    params: where.params,
    row: CallsRow,
  });
  return new Map(found.map((row) => [row.hash, row]));
}

/** The calls of some sessions, each limited to the session's time. */
function inSessions(rows: readonly SessionOfKind[], names: ReadonlyMap<string, NameRow>): Where {
  const sessions = [...new Map(rows.map((row) => [row.hash, row])).values()].flatMap((row) => {
    const name = names.get(row.hash);
    return name === undefined ? [] : [{ ...row, ...name }];
  });
  const time = (name: string) => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`;
  return {
    sql: sessions
      .map(
        (_, at) =>
          `(server_name = {server_${at}:String} AND started_at >= ${time(`from_${at}`)} AND started_at <= ${time(`to_${at}`)}
        AND session_source = {source_${at}:String} AND session_id = {id_${at}:String})`,
      )
      .join(' OR '),
    params: Object.fromEntries(
      sessions.flatMap(({ server, source, id, startedUs, endedUs }, at) => [
        [`server_${at}`, server],
        [`source_${at}`, source],
        [`id_${at}`, id],
        [`from_${at}`, startedUs],
        [`to_${at}`, endedUs],
      ]),
    ),
  };
}

function toNameParams(rows: readonly SessionOfKind[]): Record<string, unknown> {
  return {
    first_us: Math.min(...rows.map(({ startedUs }) => startedUs)),
    last_us: Math.max(...rows.map(({ endedUs }) => endedUs)),
    hashes: [...new Set(rows.map(({ hash }) => hash))].map(BigInt),
  };
}

function toSessionItem(
  row: SessionOfKind,
  { server, source, id, client, tools }: NameRow,
  calls: CallsRow | undefined,
): AttentionItem {
  const [tool = '', code = '', times = 0] = calls?.most ?? [];
  const stats: SessionStats = {
    calls: row.calls,
    errors: row.errors,
    tools,
    last: calls && { tool: calls.last_tool, code: calls.last_code },
    topFailure: times > 0 ? { tool, code, count: times } : undefined,
  };
  return {
    kind: row.kind,
    server,
    sessionId: id,
    sessionSource: source,
    tool: '',
    client,
    id: '',
    why: describeSessionAttention(row.kind, stats),
    count: row.calls,
    lastAt: formatIso(row.endedUs),
  };
}

const UncalledRow = z.object({
  server: z.string(),
  client: z.string(),
  sessions: count,
  booting: count,
  last_s: count,
});

/** Clients with several sessions that connected without a call; clients that start repeatedly come first. */
export async function readUncalledAttention(
  scope: SessionScope,
  { store }: QueryContext,
): Promise<AttentionItem[]> {
  const uncalled = uncalledSessions(scope);
  const rows = await store.query({
    sql: `
    SELECT
      toString(server) AS server,
      toString(client) AS client,
      count() AS sessions,
      countIf(is_booting) AS booting,
      max(began_s) AS last_s
    FROM (${uncalled.sql})
    WHERE is_candidate
    GROUP BY server, client
    HAVING sessions >= ${BOOT_SESSIONS}
    ORDER BY booting DESC, sessions DESC, server, client
    LIMIT 100`,
    params: uncalled.params,
    row: UncalledRow,
  });
  return rows.map(({ server, client, sessions, booting, last_s }) => ({
    ...NO_SESSION,
    kind: 'zero_calls',
    server,
    client,
    why: describeUncalledAttention({ sessions, booting }),
    count: sessions,
    lastAt: formatIso(last_s * 1_000_000),
  }));
}
