// The target of a purge as conditions on the tables. A mutation's text stays on the engine's disk, so no
// condition may contain the data to delete: ids are compared as hashes that the engine computes.

import { z } from 'zod';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import type { Store } from './store.ts';

export type PurgeTarget =
  /** A session id, of one server or of all. */
  | { readonly kind: 'session'; readonly id: string; readonly server?: string | undefined }
  /** A user, by the possible values of the column `principal`; at least one. */
  | { readonly kind: 'user'; readonly principals: readonly string[] }
  /** Everything older than an instant, in microseconds since the epoch. */
  | { readonly kind: 'before'; readonly beforeUs: number };

/** Condition on the rows of one table; the list order is the deletion order. */
export interface TableCondition {
  readonly table: string;
  readonly where: string;
}

const HashRow = z.object({ hash: z.string().regex(/^\d{1,20}$/) });

async function computeHash(store: Store, text: string): Promise<string> {
  const [row] = await store.query({
    sql: 'SELECT toString(sipHash64({text:String})) AS hash',
    params: { text },
    row: HashRow,
  });
  if (!row) throw new Error('the store answered a constant with no row');
  return row.hash;
}

/**
 * Locates the rows of a target.
 *
 * @returns one condition per table; tables found through `calls` come before `calls`
 * @throws UpstreamError as `Store` does
 */
export async function toTableConditions(
  store: Store,
  target: PurgeTarget,
): Promise<readonly TableCondition[]> {
  switch (target.kind) {
    case 'session':
      return toSessionConditions(
        await computeHash(store, target.id),
        await computeServerHash(store, target.server),
      );
    case 'user':
      return toUserConditions(await Promise.all(target.principals.map((one) => computeHash(store, one))));
    case 'before':
      return toAgeConditions(target.beforeUs);
    default:
      return target satisfies never;
  }
}

async function computeServerHash(store: Store, server: string | undefined): Promise<string | undefined> {
  return server === undefined ? undefined : computeHash(store, server);
}

/** For tables with a row or more for each call. */
const toCallsCondition = (calls: string): string =>
  `(trace_id, span_id) IN (SELECT trace_id, span_id FROM calls WHERE ${calls})`;

/** Calls of agents name the session as the agent does, and share the trace of the server's call. */
const toTraceCondition = (calls: string): string => `trace_id IN (SELECT trace_id FROM calls WHERE ${calls})`;

function toSessionConditions(id: string, server: string | undefined): TableCondition[] {
  const among = (idColumn: string, serverColumn: string): string =>
    `sipHash64(${idColumn}) = ${id}${server === undefined ? '' : ` AND sipHash64(${serverColumn}) = ${server}`}`;
  const own = among('session_id', 'server_name');
  return [
    { table: 'payloads', where: toCallsCondition(own) },
    { table: 'child_spans', where: toCallsCondition(own) },
    {
      table: 'agent_calls',
      where: `${toTraceCondition(own)}${server === undefined ? ` OR sipHash64(session_id) = ${id}` : ''}`,
    },
    { table: 'loops', where: own },
    { table: 'alert_events', where: among("labels['session_id']", "labels['server']") },
    { table: 'sessions', where: own },
    { table: 'failed_calls', where: own },
    { table: 'calls', where: own },
  ];
}

/** For sessions with several users, the rollup row is rebuilt from the remaining calls. */
function toUserConditions(principals: readonly string[]): TableCondition[] {
  const own = `sipHash64(principal) IN (${principals.join(', ')})`;
  const sessionsOfUser = (columns: string): string =>
    `(SELECT ${columns} FROM calls WHERE ${own} AND session_id != '' GROUP BY ${columns})`;
  const identity = 'server_name, session_source, session_id';
  return [
    { table: 'payloads', where: toCallsCondition(own) },
    { table: 'child_spans', where: toCallsCondition(own) },
    { table: 'agent_calls', where: toTraceCondition(own) },
    { table: 'loops', where: `(${identity}) IN ${sessionsOfUser(identity)}` },
    {
      table: 'alert_events',
      where: `(labels['server'], labels['session_id']) IN ${sessionsOfUser('server_name, session_id')}`,
    },
    {
      table: 'sessions',
      where: `(${identity}) IN (SELECT ${identity} FROM calls WHERE session_id != '' GROUP BY ${identity} HAVING countIf(${own}) = count())`,
    },
    {
      table: 'failed_calls',
      where: `(trace_id, span_id) IN (SELECT trace_id, span_id FROM calls WHERE ${own} AND fault != 'none')`,
    },
    { table: 'calls', where: own },
  ];
}

function toAgeConditions(beforeUs: number): TableCondition[] {
  const before = `toDateTime64('${formatDateTime64(beforeUs)}', 6, 'UTC')`;
  const older = (column: string): string => `${column} < ${before}`;
  const allOlder = (
    table: string,
    { key, column }: { readonly key: string; readonly column: string },
  ): string => `(${key}) IN (SELECT ${key} FROM ${table} GROUP BY ${key} HAVING max(${column}) < ${before})`;
  return [
    { table: 'payloads', where: older('started_at') },
    { table: 'child_spans', where: older('started_at') },
    { table: 'agent_calls', where: older('started_at') },
    { table: 'loops', where: older('last_at') },
    { table: 'storms', where: older('last_at') },
    { table: 'change_points', where: older('detected_at') },
    { table: 'change_point_states', where: older('minute') },
    { table: 'alert_events', where: older('at') },
    { table: 'annotations', where: older('at') },
    {
      table: 'tools',
      where: allOlder('tools', { key: 'server_name, tool_name', column: 'last_listed' }),
    },
    {
      table: 'tool_usage',
      where: allOlder('tool_usage', { key: 'server_name, environment, tool_name', column: 'last_call' }),
    },
    { table: 'sessions', where: older('ended_at') },
    { table: 'tool_minutes', where: `bucket < toStartOfMinute(${before})` },
    { table: 'tool_hours', where: `bucket < toStartOfHour(${before})` },
    { table: 'tool_days', where: `day < toDate(${before})` },
    { table: 'client_days', where: `day < toDate(${before})` },
    { table: 'listing_days', where: `day < toDate(${before})` },
    { table: 'failed_calls', where: older('started_at') },
    { table: 'calls', where: older('started_at') },
  ];
}
