// The engine's own BACKUP and RESTORE, which a ClickHouse server and the embedded engine both have: parts are copied as they
// are, states of aggregates too, and no materialised view fires. Asynchronous, because a large one outlives any request.

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { UpstreamError } from '../../errors.ts';
import { migrate, readMigrations } from './migrate.ts';
import { removeRetention } from './retention.ts';
import type { Store } from './store.ts';
import { STORE_USERS_TABLE } from './store-heartbeat.ts';

export interface TableRowCount {
  readonly table: string;
  readonly rows: number;
}

const POLL_MS = 200;
const MAX_SECONDS = 600;

/** Copies the database to the engine's own backup directory. @throws UpstreamError when it fails */
export function backupDatabase(store: Store, name: string): Promise<void> {
  return runBackupStatement(store, { name, verb: 'BACKUP', preposition: 'TO' });
}

/**
 * Makes the tables as this package's migrations have them, up to the version of the backup, and attaches what the backup holds
 * of their data. The statements that stand in the backup are not run: they could make a table that reads a file or an address.
 *
 * @param version of the schema of the backup; the database exists and is empty
 * @throws UpstreamError when it fails
 */
export async function restoreDatabase(
  store: Store,
  { name, version }: { readonly name: string; readonly version: number },
): Promise<void> {
  const migrations = await readMigrations();
  await migrate(
    store,
    migrations.filter((migration) => migration.version <= version),
  );
  await removeRetention(store);
  // Of migrations the rows are there already.
  const tables = (await readBackupTables(store)).map(({ name: table }) => table);
  const restored = tables.filter((table) => table !== 'schema_migrations');
  await runBackupStatement(store, { name, verb: 'RESTORE', preposition: 'FROM', tables: restored });
}

interface BackupStatement {
  readonly name: string;
  readonly verb: 'BACKUP' | 'RESTORE';
  readonly preposition: 'TO' | 'FROM';
  /** Of ours, the whole database unless given; those that are restored exist and keep their definition. */
  readonly tables?: readonly string[];
}

const RESTORE_SETTINGS =
  "SETTINGS create_table = 'must-exist', create_database = 'must-exist', allow_different_table_def = 1";

const StatusRow = z.object({ status: z.string(), error: z.string() });

async function runBackupStatement(
  store: Store,
  { name, verb, preposition, tables }: BackupStatement,
): Promise<void> {
  if (!/^[\w-]+$/.test(name)) throw new Error('a backup is named by a plain word');
  const file = `File('${name}')`;
  const what =
    tables?.map((table) => `TABLE ${store.database}.${table}`).join(', ') ?? `DATABASE ${store.database}`;
  const settings = tables === undefined ? '' : RESTORE_SETTINGS;
  await store.command(`${verb} ${what} ${preposition} ${file} ${settings} ASYNC`);
  for (;;) {
    const [row] = await store.query({
      sql: `SELECT toString(status) AS status, error FROM system.backups WHERE name = {file:String}
            ORDER BY start_time DESC LIMIT 1`,
      params: { file },
      row: StatusRow,
    });
    if (row?.status === (verb === 'BACKUP' ? 'BACKUP_CREATED' : 'RESTORED')) return;
    if (row === undefined || /FAILED|CANCELLED/.test(row.status)) throw toBackupError(verb, row?.error ?? '');
    await delay(POLL_MS);
  }
}

/** The engine's sentence without the trace that follows it. */
function toBackupError(verb: BackupStatement['verb'], error: string): UpstreamError {
  const reason =
    /DB::Exception: ([^\n]*?)(?:\. \(|, Stack trace|\.?$)/.exec(error)?.[1] ?? 'no reason was given';
  return new UpstreamError('STORE_REJECTED', `The store could not run its ${verb}: ${reason}`, {
    retryable: false,
  });
}

const TableRow = z.object({ name: z.string().regex(/^\w+$/), engine: z.string() });
const CountRow = z.object({ rows: z.coerce.number() });

/** Rows of every table, equal ones merged: a merge that ran meanwhile changes nothing. @throws UpstreamError as `Store` does */
export async function countTableRows(store: Store): Promise<TableRowCount[]> {
  const counts: TableRowCount[] = [];
  for (const { name, engine } of await readBackupTables(store)) {
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

/** Those that a backup is about: who uses a database is true of that moment alone. */
function readBackupTables(store: Store): Promise<z.infer<typeof TableRow>[]> {
  return store.query({
    sql: "SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name != {users:String} ORDER BY name",
    params: { users: STORE_USERS_TABLE },
    row: TableRow,
  });
}

/** Number of the newest migration that the database has seen. @throws UpstreamError as `Store` does */
export async function readStoreSchemaVersion(store: Store): Promise<number> {
  const [row] = await store.query({
    sql: 'SELECT max(version) AS version FROM schema_migrations',
    row: z.object({ version: z.number() }),
  });
  return row?.version ?? 0;
}

/** Number of the newest migration that this package has. */
export async function readPackageSchemaVersion(): Promise<number> {
  const migrations = await readMigrations();
  return migrations.at(-1)?.version ?? 0;
}

/** Whether the database has any table. @throws UpstreamError as `Store` does */
export async function hasAnyTable(store: Store): Promise<boolean> {
  const rows = await store.query({
    sql: 'SELECT name, engine FROM system.tables WHERE database = {database:String} LIMIT 1',
    params: { database: store.database },
    row: TableRow,
  });
  return rows.length > 0;
}

/** Removes the database with everything in it, and makes it again, empty. @throws UpstreamError as `Store` does */
export async function recreateDatabase(store: Store): Promise<void> {
  await store.command(`DROP DATABASE IF EXISTS ${store.database} SYNC`);
  await store.createDatabase();
}
