// Restores a backup while no service runs. The node's name and journal are restored too, so call positions
// continue and none is reused. A backup is untrusted, so nothing in it is executed: its rows are inserted
// into tables created by this package, and its settings are skipped. Everything is checked before any change,
// and counted afterwards.

import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { BackupManifest, type RestoreResponse } from '../../contract/maintenance.ts';
import { UpstreamError, UserError } from '../../errors.ts';
import {
  countTableRows,
  hasAnyTable,
  isKnownSchema,
  MIGRATIONS_TABLE,
  recreateDatabase,
  restoreDatabase,
} from '../store/backup-database.ts';
import type { Store } from '../store/store.ts';
import { findStoreUsers } from '../store/store-heartbeat.ts';
import { MANIFEST_FILE, SERVICE_DIRECTORY, STORE_DIRECTORY } from './backup.ts';
import { type FileRecord, isStateFile, listDirectory } from './backup-files.ts';
import { checkStoreBackup } from './check-store-backup.ts';
import { checkFiles, copyFiles, invalidBackupError } from './restore-files.ts';

/** A store whose database need not exist. */
export interface UnmigratedStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** What a restore needs; it has exclusive use of the data directory. */
export interface RestorePorts {
  readonly dataDirectory: string;
  /** Where the embedded engine looks for backups; undefined for a ClickHouse server. */
  readonly engineBackups: string | undefined;
  /** Where the embedded engine keeps its files; undefined for a ClickHouse server. */
  readonly engineDirectory: string | undefined;
  /** Opening takes the engine's own lock. Throws UserError DATA_DIRECTORY_LOCKED where another engine has it. */
  openStore(): Promise<UnmigratedStore>;
  readonly now: () => number;
  readonly log: Logger;
}

export interface RestoreRequest {
  readonly directory: string;
  /** Whether existing data of the target may be removed. */
  readonly overwrite: boolean;
}

/**
 * Restores a backup.
 *
 * @throws UserError INVALID_BACKUP for an incomplete backup or an unknown schema, TARGET_NOT_EMPTY,
 *   DATA_DIRECTORY_LOCKED, STORE_IN_USE
 * @throws UpstreamError when the store fails or its row counts differ from the manifest
 */
export async function restore(ports: RestorePorts, request: RestoreRequest): Promise<RestoreResponse> {
  const manifest = await readManifest(request.directory);
  await checkManifest(manifest, ports);
  await checkFiles(request.directory, manifest.files);
  if (ports.engineBackups !== undefined) await checkStoreBackup(join(request.directory, STORE_DIRECTORY));
  await assertTargetEmpty(ports, request);
  const unmigrated = await openForRestore(ports, request);
  try {
    if (!request.overwrite && (await hasAnyTable(unmigrated.store)))
      throw notEmptyError(`The database ${unmigrated.store.database}`);
    if (ports.engineBackups === undefined) await assertStoreUnused(unmigrated.store);
    // Everything is locked and checked; what follows deletes.
    for (const name of await listStateFiles(ports.dataDirectory))
      await rm(join(ports.dataDirectory, name), { recursive: true, force: true });
    const tables = await restoreStore(unmigrated.store, ports, { ...request, manifest });
    // Last, because the node's name makes the next start use the journal.
    const notRestored = await restoreState(ports, { ...request, manifest });
    ports.log.info({ directory: request.directory }, 'backup was restored');
    const { createdAt, schemaVersion, ingestNode } = manifest;
    return { createdAt, schemaVersion, ingestNode, tables, notRestored };
  } finally {
    await unmigrated.close();
  }
}

async function readManifest(directory: string): Promise<BackupManifest> {
  try {
    return BackupManifest.parse(JSON.parse(await readFile(join(directory, MANIFEST_FILE), 'utf8')));
  } catch (cause) {
    throw invalidBackupError(
      `${directory} holds no ${MANIFEST_FILE} that can be read. Expected what toolscope backup wrote.`,
      cause,
    );
  }
}

async function checkManifest(manifest: BackupManifest, { engineBackups }: RestorePorts): Promise<void> {
  if (!(await isKnownSchema(manifest.schemaVersion))) {
    throw invalidBackupError(
      `The backup has schema ${manifest.schemaVersion}, written by toolscope ${manifest.version}, which this version cannot read. Restore it with that version.`,
    );
  }
  const here = engineBackups === undefined ? 'server' : 'embedded';
  if (manifest.engine !== here) {
    throw invalidBackupError(
      manifest.engine === 'server'
        ? `The backup is on a ClickHouse server as ${manifest.serverBackup}. Expected --clickhouse-url of that server.`
        : 'The backup is of the embedded engine. Expected no --clickhouse-url.',
    );
  }
}

/** Files of the service; settings and foreign files are left. */
async function listStateFiles(dataDirectory: string): Promise<string[]> {
  return (await listDirectory(dataDirectory)).filter(isStateFile);
}

async function assertTargetEmpty(
  { dataDirectory, engineDirectory }: RestorePorts,
  { overwrite }: RestoreRequest,
): Promise<void> {
  if (overwrite) return;
  const names = [...(await listStateFiles(dataDirectory)), ...(await listDirectory(engineDirectory ?? ''))];
  if (names.length > 0) throw notEmptyError(`The data directory ${dataDirectory}`);
}

/** On a server, a service with another data directory may use the database that is about to be replaced. */
async function assertStoreUnused(store: Store): Promise<void> {
  const users = await findStoreUsers(store);
  if (users.length === 0) return;
  const names = users.map(({ host, pid }) => `process ${pid} on ${JSON.stringify(host)}`).join(', ');
  throw new UserError(
    'STORE_IN_USE',
    `The database ${store.database} is used by ${names}. Expected that no service uses it.`,
    { field: 'clickhouseUrl', hint: 'Stop them first; a killed one expires after a minute.' },
  );
}

/**
 * Damaged files of the engine may be the reason for the restore. They are moved aside and not removed, because another
 * process may have them open.
 */
async function openForRestore(ports: RestorePorts, { overwrite }: RestoreRequest): Promise<UnmigratedStore> {
  const { engineDirectory, openStore, now, log } = ports;
  try {
    return await openStore();
  } catch (error) {
    const isDamaged = error instanceof UpstreamError && error.code === 'STORE_UNAVAILABLE';
    if (!isDamaged || !overwrite || engineDirectory === undefined) throw error;
    const aside = `${engineDirectory}.damaged-${now()}`;
    await rename(engineDirectory, aside);
    log.warn({ aside, reason: error.message }, 'store could not be opened and was put aside');
    return openStore();
  }
}

interface RestoreSource extends RestoreRequest {
  readonly manifest: BackupManifest;
}

async function restoreStore(
  store: Store,
  { engineBackups }: RestorePorts,
  { directory, manifest }: RestoreSource,
): Promise<RestoreResponse['tables']> {
  const name = manifest.serverBackup === '' ? 'toolscope-restore' : manifest.serverBackup;
  const copy = engineBackups === undefined ? undefined : join(engineBackups, name);
  const { files, schemaVersion: version } = manifest;
  try {
    await recreateDatabase(store);
    if (copy !== undefined) {
      // Left by a restore that was killed.
      await rm(copy, { recursive: true, force: true });
      await copyFiles({ directory, files }, { prefix: `${STORE_DIRECTORY}/`, target: copy });
    }
    await restoreDatabase(store, { name, version });
    return await checkCounts(store, manifest);
  } finally {
    if (copy !== undefined) await rm(copy, { recursive: true, force: true });
  }
}

/** @returns the files of the backup that were left in it */
async function restoreState(
  { dataDirectory }: RestorePorts,
  { directory, manifest }: RestoreSource,
): Promise<string[]> {
  const prefix = `${SERVICE_DIRECTORY}/`;
  const listed = manifest.files.filter(({ path }) => path.startsWith(prefix));
  const isRestored = ({ path }: FileRecord): boolean => isStateFile(path.split('/')[1] ?? '');
  await copyFiles({ directory, files: listed.filter(isRestored) }, { prefix, target: dataDirectory });
  return listed.filter((file) => !isRestored(file)).map(({ path }) => path);
}

async function checkCounts(store: Store, manifest: BackupManifest): Promise<RestoreResponse['tables']> {
  const found = await countTableRows(store);
  for (const { table, least, most } of manifest.tables) {
    const rows = found.find((other) => other.table === table)?.rows ?? 0;
    if (table === MIGRATIONS_TABLE || (rows >= least && rows <= most)) continue;
    throw new UpstreamError(
      'STORE_REJECTED',
      `Table ${table} was restored with ${rows} rows. Expected ${least === most ? least : `${least} to ${most}`}.`,
      { retryable: false },
    );
  }
  return found;
}

function notEmptyError(what: string): UserError {
  return new UserError('TARGET_NOT_EMPTY', `${what} is not empty. Expected one that is.`, {
    field: 'dataDirectory',
    hint: 'Name another one with --data-dir, or add --overwrite to remove what is there.',
  });
}
