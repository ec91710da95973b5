// What a purge is to take away, as conditions over the tables. A mutation's text stays on the engine's disk beside the
// data it changed, so no condition may hold what is to be forgotten: ids stand in it as hashes that the engine computes.

import { z } from 'zod';
import { formatMicros } from './instant-text.ts';
import type { Store } from './store.ts';

export type PurgeTarget =
  /** A session id, of one server or of all. */
  | { readonly kind: 'session'; readonly id: string; readonly server?: string | undefined }
  /** A user, by what the column `principal` may hold: at least one. */
  | { readonly kind: 'user'; readonly principals: readonly string[] }
  /** Everything older than an instant, in microseconds since the epoch. */
  | { readonly kind: 'before'; readonly beforeUs: number };

/** The rows of one table that go, as a condition; the order of the list is the order in which they must go. */
export interface TableCondition {
  readonly table: string;
  readonly where: string;
}

const HashRow = z.object({ hash: z.string().regex(/^\d{1,20}$/) });

async function hashOf(store: Store, text: string): Promise<string> {
  const [row] = await store.query({
    sql: 'SELECT toString(sipHash64({text:String})) AS hash',
    params: { text },
    row: HashRow,
  });
  if (!row) throw new Error('the store answered a constant with no row');
  return row.hash;
}

/**
 * Where the rows of a target lie.
 *
 * @returns one condition a table; what is found through `calls` comes before `calls`
 * @throws UpstreamError as `Store` does
 */
export async function findConditions(store: Store, target: PurgeTarget): Promise<readonly TableCondition[]> {
  switch (target.kind) {
    case 'session':
      return conditionsOfSession(await hashOf(store, target.id), await serverHash(store, target.server));
    case 'user':
      return conditionsOfUser(await Promise.all(target.principals.map((one) => hashOf(store, one))));
    case 'before':
      return conditionsBefore(target.beforeUs);
    default:
      return target satisfies never;
  }
}

async function serverHash(store: Store, server: string | undefined): Promise<string | undefined> {
  return server === undefined ? undefined : hashOf(store, server);
}

const OWN_PAYLOADS = (calls: string): string =>
  `(trace_id, span_id) IN (SELECT trace_id, span_id FROM calls WHERE ${calls})`;

function conditionsOfSession(id: string, server: string | undefined): TableCondition[] {
  const among = (idColumn: string, serverColumn: string): string =>
    `sipHash64(${idColumn}) = ${id}${server === undefined ? '' : ` AND sipHash64(${serverColumn}) = ${server}`}`;
  const own = among('session_id', 'server_name');
  return [
    { table: 'payloads', where: OWN_PAYLOADS(own) },
    { table: 'loops', where: own },
    { table: 'alert_events', where: among("labels['session_id']", "labels['server']") },
    { table: 'sessions', where: own },
    { table: 'failed_calls', where: own },
    { table: 'calls', where: own },
  ];
}

/** Of sessions that several users had, the row of the rollup is made anew from the calls that stay. */
function conditionsOfUser(principals: readonly string[]): TableCondition[] {
  const own = `sipHash64(principal) IN (${principals.join(', ')})`;
  const had = (columns: string): string =>
    `(SELECT ${columns} FROM calls WHERE ${own} AND session_id != '' GROUP BY ${columns})`;
  const identity = 'server_name, session_source, session_id';
  return [
    { table: 'payloads', where: OWN_PAYLOADS(own) },
    { table: 'loops', where: `(${identity}) IN ${had(identity)}` },
    {
      table: 'alert_events',
      where: `(labels['server'], labels['session_id']) IN ${had('server_name, session_id')}`,
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

function conditionsBefore(beforeUs: number): TableCondition[] {
  const before = `toDateTime64('${formatMicros(beforeUs)}', 6, 'UTC')`;
  const older = (column: string): string => `${column} < ${before}`;
  const wholly = (
    table: string,
    { key, column }: { readonly key: string; readonly column: string },
  ): string => `(${key}) IN (SELECT ${key} FROM ${table} GROUP BY ${key} HAVING max(${column}) < ${before})`;
  return [
    { table: 'payloads', where: older('started_at') },
    { table: 'loops', where: older('last_at') },
    { table: 'storms', where: older('last_at') },
    { table: 'alert_events', where: older('at') },
    { table: 'annotations', where: older('at') },
    {
      table: 'tools',
      where: wholly('tools', { key: 'server_name, tool_name', column: 'last_listed' }),
    },
    {
      table: 'tool_usage',
      where: wholly('tool_usage', { key: 'server_name, environment, tool_name', column: 'last_call' }),
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
