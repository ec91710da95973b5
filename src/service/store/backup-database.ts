// BACKUP and RESTORE of a ClickHouse server or the embedded engine: parts are copied unchanged, including
// aggregate states, and no materialised view fires. Asynchronous, because a large backup outlives any
// request.

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { UpstreamError } from '../../errors.ts';
import { migrate, REPLACED_VERSION, REPLACING_VERSION, readMigrations } from './migrate.ts';
import { removeRetention } from './retention.ts';
import { queryNumber, type Store } from './store.ts';
import { STORE_USERS_TABLE } from './store-heartbeat.ts';

export interface TableRowCount {
  readonly table: string;
  readonly rows: number;
}

/** Not restored: migrating writes its rows. */
export const MIGRATIONS_TABLE = 'schema_migrations';
const POLL_MS = 200;
const MAX_SECONDS = 600;

/**
 * Copies the database to the engine's backup directory.
 *
 * @throws UpstreamError when it fails
 */
export function backupDatabase(store: Store, name: string): Promise<void> {
  return runBackupStatement(store, { name, verb: 'BACKUP', preposition: 'TO' });
}

/**
 * Creates the tables with this package's migrations, up to the version of the backup, and attaches the
 * backup's data. The CREATE statements in the backup are not run: they could define a table that reads a file
 * or an address.
 *
 * @param version schema version of the backup; the database exists and is empty
 * @throws UpstreamError when it fails
 */
export async function restoreDatabase(
  store: Store,
  { name, version }: { readonly name: string; readonly version: number },
): Promise<void> {
  const newest = version === REPLACED_VERSION ? REPLACING_VERSION : version;
  const migrations = await readMigrations();
  await migrate(
    store,
    migrations.filter((migration) => migration.version <= newest),
  );
  await removeRetention(store);
  const tables = (await readBackupTables(store)).map(({ name: table }) => table);
  const restored = tables.filter((table) => table !== MIGRATIONS_TABLE);
  await runBackupStatement(store, { name, verb: 'RESTORE', preposition: 'FROM', tables: restored });
}

interface BackupStatement {
  readonly name: string;
  readonly verb: 'BACKUP' | 'RESTORE';
  readonly preposition: 'TO' | 'FROM';
  /** Tables of this database, all by default; restored tables exist and keep their definition. */
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

/** The engine's message without the stack trace. */
function toBackupError(verb: BackupStatement['verb'], error: string): UpstreamError {
  const reason =
    /DB::Exception: ([^\n]*?)(?:\. \(|, Stack trace|\.?$)/.exec(error)?.[1] ?? 'no reason was given';
  return new UpstreamError('STORE_REJECTED', `The store could not run its ${verb}: ${reason}`, {
    retryable: false,
  });
}

const TableRow = z.object({ name: z.string().regex(/^\w+$/), engine: z.string() });

/**
 * Distinct rows of every table, so that concurrent merges change nothing.
 *
 * @throws UpstreamError as `Store` does
 */
export async function countTableRows(store: Store): Promise<TableRowCount[]> {
  const counts: TableRowCount[] = [];
  for (const { name, engine } of await readBackupTables(store)) {
    const final =
      engine.endsWith('ReplacingMergeTree') || engine.endsWith('AggregatingMergeTree') ? 'FINAL' : '';
    const sql = `SELECT count() FROM ${name} ${final}`;
    counts.push({ table: name, rows: await queryNumber(store, { sql, maxSeconds: MAX_SECONDS }) });
  }
  return counts;
}

/** The tables of a backup; the heartbeat table describes only the current moment and is excluded. */
function readBackupTables(store: Store): Promise<z.infer<typeof TableRow>[]> {
  return store.query({
    sql: "SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name != {users:String} ORDER BY name",
    params: { users: STORE_USERS_TABLE },
    row: TableRow,
  });
}

/**
 * Number of the newest applied migration.
 *
 * @throws UpstreamError as `Store` does
 */
export function readStoreSchemaVersion(store: Store): Promise<number> {
  return queryNumber(store, { sql: `SELECT max(version) FROM ${MIGRATIONS_TABLE}` });
}

/** Whether this package has the schema of a backup. */
export async function isKnownSchema(version: number): Promise<boolean> {
  const migrations = await readMigrations();
  return version === REPLACED_VERSION || migrations.some((migration) => migration.version === version);
}

/** Whether the database has any table. @throws UpstreamError as `Store` does */
export async function hasAnyTable(store: Store): Promise<boolean> {
  const sql = 'SELECT count() FROM system.tables WHERE database = {database:String}';
  return (await queryNumber(store, { sql, params: { database: store.database } })) > 0;
}

/**
 * Drops the database and creates it again, empty.
 *
 * @throws UpstreamError as `Store` does
 */
export async function recreateDatabase(store: Store): Promise<void> {
  await store.command(`DROP DATABASE IF EXISTS ${store.database} SYNC`);
  await store.createDatabase();
}
