// The engine's own BACKUP and RESTORE, which a ClickHouse server and the embedded engine both have: parts are copied as they
// are, states of aggregates too, and no materialised view fires. Asynchronous, because a large one outlives any request.

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { UpstreamError } from '../../errors.ts';
import { readMigrations } from './migrate.ts';
import type { Store } from './store.ts';

export interface TableRows {
  readonly table: string;
  readonly rows: number;
}

const POLL_MS = 200;
const MAX_SECONDS = 600;

/** Copies the database to the engine's own backup directory. @throws UpstreamError when it fails */
export function backupDatabase(store: Store, name: string): Promise<void> {
  return run(store, { name, verb: 'BACKUP', preposition: 'TO' });
}

/** Makes the tables of a backup and fills them; the database exists and is empty. @throws UpstreamError when it fails */
export function restoreDatabase(store: Store, name: string): Promise<void> {
  return run(store, { name, verb: 'RESTORE', preposition: 'FROM' });
}

interface Statement {
  readonly name: string;
  readonly verb: 'BACKUP' | 'RESTORE';
  readonly preposition: 'TO' | 'FROM';
}

const StatusRow = z.object({ status: z.string(), error: z.string() });

async function run(store: Store, { name, verb, preposition }: Statement): Promise<void> {
  if (!/^[\w-]+$/.test(name)) throw new Error('a backup is named by a plain word');
  const file = `File('${name}')`;
  await store.command(`${verb} DATABASE ${store.database} ${preposition} ${file} ASYNC`);
  for (;;) {
    const [row] = await store.query({
      sql: `SELECT toString(status) AS status, error FROM system.backups WHERE name = {file:String}
            ORDER BY start_time DESC LIMIT 1`,
      params: { file },
      row: StatusRow,
    });
    if (row?.status === (verb === 'BACKUP' ? 'BACKUP_CREATED' : 'RESTORED')) return;
    if (row === undefined || /FAILED|CANCELLED/.test(row.status)) throw failed(verb, row?.error ?? '');
    await delay(POLL_MS);
  }
}

/** The engine's sentence without the trace that follows it. */
function failed(verb: Statement['verb'], error: string): UpstreamError {
  const reason =
    /DB::Exception: ([^\n]*?)(?:\. \(|, Stack trace|\.?$)/.exec(error)?.[1] ?? 'no reason was given';
  return new UpstreamError('STORE_REJECTED', `The store could not run its ${verb}: ${reason}`, {
    retryable: false,
  });
}

const TableRow = z.object({ name: z.string().regex(/^\w+$/), engine: z.string() });
const CountRow = z.object({ rows: z.coerce.number() });

/** Rows of every table, equal ones merged: a merge that ran meanwhile changes nothing. @throws UpstreamError as `Store` does */
export async function countTables(store: Store): Promise<TableRows[]> {
  const tables = await store.query({
    sql: "SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name",
    row: TableRow,
  });
  const counts: TableRows[] = [];
  for (const { name, engine } of tables) {
    const final =
      engine.endsWith('ReplacingMergeTree') || engine.endsWith('AggregatingMergeTree') ? 'FINAL' : '';
    const [row] = await store.query({
      sql: `SELECT count() AS rows FROM ${name} ${final}`,
      row: CountRow,
      maxSeconds: MAX_SECONDS,
    });
    counts.push({ table: name, rows: row?.rows ?? 0 });
  }
  return counts;
}

/** Number of the newest migration that the database has seen. @throws UpstreamError as `Store` does */
export async function readSchemaVersion(store: Store): Promise<number> {
  const [row] = await store.query({
    sql: 'SELECT max(version) AS version FROM schema_migrations',
    row: z.object({ version: z.number() }),
  });
  return row?.version ?? 0;
}

/** Number of the newest migration that this package has. */
export async function newestSchemaVersion(): Promise<number> {
  const migrations = await readMigrations();
  return migrations.at(-1)?.version ?? 0;
}

/** Whether the database has any table. @throws UpstreamError as `Store` does */
export async function hasTables(store: Store): Promise<boolean> {
  const rows = await store.query({
    sql: 'SELECT name, engine FROM system.tables WHERE database = {database:String} LIMIT 1',
    params: { database: store.database },
    row: TableRow,
  });
  return rows.length > 0;
}

/** Removes the database with everything in it, and makes it again, empty. @throws UpstreamError as `Store` does */
export async function emptyDatabase(store: Store): Promise<void> {
  await store.command(`DROP DATABASE IF EXISTS ${store.database} SYNC`);
  await store.createDatabase();
}
