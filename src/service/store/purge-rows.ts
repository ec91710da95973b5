// Deletes rows permanently: first logically, then from the files, then the old files from disk. Every step is
// idempotent, so an interrupted purge is completed by repeating it, even when no matching row is visible any
// more.

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { UpstreamError } from '../../errors.ts';
import type { TableCondition } from './purge-target.ts';
import { queryNumber, type Store } from './store.ts';

export interface AffectedRows {
  readonly table: string;
  readonly rows: number;
}

export interface PurgedSession {
  readonly server: string;
  readonly id: string;
}

/** Maximum wait for a full mutation; it then continues in the background. */
const MUTATION_TIMEOUT_MS = 15 * 60_000;
const POLL_MS = 100;
const MAX_SECONDS = 120;
const MAX_SESSIONS = 100_000;

/**
 * Number of matching rows per table.
 *
 * @throws UpstreamError as `Store` does
 */
export function countMatchingRows(
  store: Store,
  conditions: readonly TableCondition[],
): Promise<AffectedRows[]> {
  return mapSequentially(conditions, async ({ table, where }) => {
    const sql = `SELECT count() FROM ${table} WHERE ${where}`;
    return { table, rows: await queryNumber(store, { sql, maxSeconds: MAX_SECONDS }) };
  });
}

/**
 * The days of `calls` that lose rows, as `YYYY-MM-DD`.
 *
 * @throws UpstreamError as `Store` does
 */
export async function findAffectedDays(store: Store, where: string): Promise<string[]> {
  const rows = await store.query({
    sql: `SELECT DISTINCT toString(toDate(started_at)) AS day FROM calls WHERE ${where} ORDER BY day`,
    row: z.object({ day: z.string() }),
    maxSeconds: MAX_SECONDS,
  });
  return rows.map(({ day }) => day);
}

/**
 * The sessions with matching rows, at most 100,000.
 *
 * @throws UpstreamError as `Store` does
 */
export async function findAffectedSessions(
  store: Store,
  { table, where }: TableCondition,
): Promise<PurgedSession[]> {
  const rows = await store.query({
    sql: `SELECT DISTINCT server_name, session_id FROM ${table} WHERE (${where}) AND session_id != ''
          LIMIT ${MAX_SESSIONS}`,
    row: z.object({ server_name: z.string(), session_id: z.string() }),
    maxSeconds: MAX_SECONDS,
  });
  return rows.map((row) => ({ server: row.server_name, id: row.session_id }));
}

/**
 * Deletes the rows, table by table in the given order; when it resolves, no active file holds them.
 *
 * @throws UpstreamError as `Store` does, or STORE_TIMEOUT when the engine needs longer than a quarter of an
 * hour
 */
export async function deleteRows(store: Store, conditions: readonly TableCondition[]): Promise<void> {
  for (const { table, where } of conditions) {
    await store.command(`DELETE FROM ${table} WHERE ${where} SETTINGS lightweight_deletes_sync = 0`);
    await waitForMutations(store, table);
  }
  for (const table of await findTablesWithDeletedRows(store)) {
    await store.command(`ALTER TABLE ${table} APPLY DELETED MASK SETTINGS mutations_sync = 0`);
    await waitForMutations(store, table);
  }
}

/** Tables with logically deleted rows that are still in files, from this purge or an earlier one. */
async function findTablesWithDeletedRows(store: Store): Promise<string[]> {
  const rows = await store.query({
    sql: `SELECT DISTINCT table FROM system.parts
          WHERE database = currentDatabase() AND active AND has_lightweight_delete`,
    row: z.object({ table: z.string().regex(/^\w+$/) }),
  });
  return rows.map(({ table }) => table);
}

async function waitForMutations(store: Store, table: string): Promise<void> {
  const failure = z.object({ reason: z.string() });
  for (const deadline = Date.now() + MUTATION_TIMEOUT_MS; ; await delay(POLL_MS)) {
    const running = await store.query({
      sql: `SELECT latest_fail_reason AS reason FROM system.mutations
            WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done`,
      params: { table },
      row: failure,
    });
    if (running.length === 0) return;
    if (Date.now() >= deadline || running.some(({ reason }) => reason !== ''))
      throw new UpstreamError('STORE_TIMEOUT', `The store could not delete rows of ${table} in time`, {
        retryable: true,
      });
  }
}

/**
 * Waits until the files with deleted rows are off the disk. The engine keeps old files for some time; if that
 * is longer than a second, the setting is changed for the duration of the wait.
 *
 * @param withinMs milliseconds
 * @returns whether they are gone
 * @throws UpstreamError as `Store` does
 */
export async function waitForOldParts(
  store: Store,
  { tables, withinMs }: { readonly tables: readonly string[]; readonly withinMs: number },
): Promise<boolean> {
  const startedAt = await queryNumber(store, { sql: 'SELECT toUnixTimestamp(now())' });
  const lifetimeSeconds = await queryNumber(store, {
    sql: "SELECT toFloat64(value) FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime'",
  });
  const alterLifetime = async (change: string): Promise<void> => {
    if (lifetimeSeconds > 1)
      await mapSequentially(tables, (table) => store.command(`ALTER TABLE ${table} ${change}`));
  };
  await alterLifetime('MODIFY SETTING old_parts_lifetime = 1');
  try {
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await delay(POLL_MS)) {
      if ((await countOldParts(store, { tables, startedAt })) === 0) return true;
    }
    return false;
  } finally {
    await alterLifetime('RESET SETTING old_parts_lifetime');
  }
}

interface OldPartsFilter {
  readonly tables: readonly string[];
  /** Parts that merges deactivate later never held deleted rows. Seconds since the epoch. */
  readonly startedAt: number;
}

function countOldParts(store: Store, { tables, startedAt }: OldPartsFilter): Promise<number> {
  return queryNumber(store, {
    sql: `SELECT count() FROM system.parts
          WHERE database = currentDatabase() AND NOT active AND table IN {tables:Array(String)}
            AND remove_time <= fromUnixTimestamp({started_at:UInt32})`,
    params: { tables, started_at: startedAt },
  });
}

async function mapSequentially<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
