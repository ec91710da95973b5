// Applies the retention settings as TTLs. A TTL is data, not schema: it changes without a migration and
// without rewriting stored data; whole parts are dropped when their last row has expired.

import { z } from 'zod';
import type { Store } from './store.ts';

export interface Retention {
  /** Calls, failed calls, minutes and days of clients, in days. */
  readonly rawDays: number;
  /** Hours, days, sessions, loops, storms, changes of level, alert events and sightings of failures and names, in days. */
  readonly rollupDays: number;
  /** Arguments and results, in days. */
  readonly payloadDays: number;
  /** Child spans, in days. */
  readonly childSpanDays: number;
  /** Tool calls of the agent's side, in days. */
  readonly agentCallDays: number;
}

const TTL_BY_TABLE = {
  calls: { column: 'toDateTime(started_at)', kept: 'rawDays' },
  tool_minutes: { column: 'bucket', kept: 'rawDays' },
  client_days: { column: 'addDays(day, 1)', kept: 'rawDays' },
  listing_days: { column: 'addDays(day, 1)', kept: 'rawDays' },
  failed_calls: { column: 'toDateTime(started_at)', kept: 'rawDays' },
  payloads: { column: 'toDateTime(started_at)', kept: 'payloadDays' },
  child_spans: { column: 'toDateTime(started_at)', kept: 'childSpanDays' },
  agent_calls: { column: 'toDateTime(started_at)', kept: 'agentCallDays' },
  tool_hours: { column: 'bucket', kept: 'rollupDays' },
  tool_days: { column: 'day', kept: 'rollupDays' },
  sessions: { column: 'day', kept: 'rollupDays' },
  loops: { column: 'toDateTime(onset)', kept: 'rollupDays' },
  storms: { column: 'toDateTime(first_at)', kept: 'rollupDays' },
  change_points: { column: 'onset', kept: 'rollupDays' },
  change_point_states: { column: 'minute', kept: 'rawDays' },
  alert_events: { column: 'toDateTime(at)', kept: 'rollupDays' },
  failure_sightings: { column: 'toDateTime(last_seen)', kept: 'rollupDays' },
  name_sightings: { column: 'toDateTime(last_seen)', kept: 'rollupDays' },
} as const satisfies Record<string, { column: string; kept: keyof Retention }>;

const TableRow = z.object({ name: z.string(), create_table_query: z.string() });

/**
 * Sets the TTLs that differ from the settings.
 *
 * @returns the tables that were changed
 * @throws UpstreamError as `Store` does
 */
export async function applyRetention(store: Store, retention: Retention): Promise<string[]> {
  const rows = await store.query({
    sql: 'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase()',
    row: TableRow,
  });
  const current = new Map(rows.map((row) => [row.name, row.create_table_query]));
  const changed: string[] = [];
  for (const [table, { column, kept: period }] of Object.entries(TTL_BY_TABLE)) {
    const days = retention[period];
    if (current.get(table)?.includes(`TTL ${column} + toIntervalDay(${days})`)) continue;
    await store.command(
      `ALTER TABLE ${table} MODIFY TTL ${column} + INTERVAL ${Math.trunc(days)} DAY DELETE SETTINGS materialize_ttl_after_modify = 0`,
    );
    changed.push(table);
  }
  return changed;
}

/**
 * Removes the TTLs until `applyRetention` sets them again, because rows of a backup may be older than the TTLs of the
 * schema.
 *
 * @throws UpstreamError as `Store` does
 */
export async function removeRetention(store: Store): Promise<void> {
  const rows = await store.query({
    sql: 'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase()',
    row: TableRow,
  });
  for (const { name, create_table_query: definition } of rows)
    if (name in TTL_BY_TABLE && /\bTTL\b/.test(definition))
      await store.command(`ALTER TABLE ${name} REMOVE TTL`);
}
