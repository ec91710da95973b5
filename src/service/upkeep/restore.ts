// Puts a backup back where no service runs. The node's name and the journal come along, so the numbers of calls go on where
// they were and none is given twice. Everything is checked before anything is changed, and counted after.

import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { BackupManifest, type RestoreAnswer } from '../../contract/upkeep.ts';
import { UpstreamError, UserError } from '../../errors.ts';
import {
  countTables,
  emptyDatabase,
  hasTables,
  newestSchemaVersion,
  restoreDatabase,
} from '../store/backup-database.ts';
import type { Store } from '../store/store.ts';
import { MANIFEST, SERVICE_PART, STORE_PART } from './backup.ts';
import { copyCarried, listCarried, recordFiles } from './backup-files.ts';

/** A store whose database need not exist. */
export interface BareStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** What a restore needs; nobody else uses the data directory meanwhile. */
export interface RestorePorts {
  readonly dataDirectory: string;
  /** Where the embedded engine looks for backups; undefined for a ClickHouse server. */
  readonly engineBackups: string | undefined;
  /** Where the embedded engine keeps its files; undefined for a ClickHouse server. */
  readonly engineDirectory: string | undefined;
  openStore(): Promise<BareStore>;
  readonly log: Logger;
}

export interface Restoring {
  readonly directory: string;
  /** Whether what is in the target may be removed. */
  readonly overwrite: boolean;
}

/**
 * Restores a backup.
 *
 * @throws UserError INVALID_BACKUP for what is no whole backup of this or an earlier schema, TARGET_NOT_EMPTY
 * @throws UpstreamError when the store fails or does not hold what the manifest says
 */
export async function restore(ports: RestorePorts, restoring: Restoring): Promise<RestoreAnswer> {
  const manifest = await readManifest(restoring.directory);
  await checkManifest(manifest, ports);
  await checkFiles(manifest, restoring.directory);
  await clearService(ports, restoring);
  const tables = await restoreStore(ports, { ...restoring, manifest });
  // Last: with the node's name in place, the next start takes the journal for its own.
  await copyCarried(join(restoring.directory, SERVICE_PART), ports.dataDirectory);
  ports.log.info({ directory: restoring.directory }, 'backup was restored');
  const { createdAt, schemaVersion, ingestNode } = manifest;
  return { createdAt, schemaVersion, ingestNode, tables };
}

async function readManifest(directory: string): Promise<BackupManifest> {
  try {
    return BackupManifest.parse(JSON.parse(await readFile(join(directory, MANIFEST), 'utf8')));
  } catch (cause) {
    throw invalid(
      `${directory} holds no ${MANIFEST} that can be read. Expected what toolscope backup wrote.`,
      cause,
    );
  }
}

async function checkManifest(manifest: BackupManifest, { engineBackups }: RestorePorts): Promise<void> {
  const newest = await newestSchemaVersion();
  if (manifest.schemaVersion > newest) {
    throw invalid(
      `The backup has schema ${manifest.schemaVersion}, written by toolscope ${manifest.version}; this one knows schemas up to ${newest}. Expected an older backup, or a newer toolscope.`,
    );
  }
  const here = engineBackups === undefined ? 'server' : 'embedded';
  if (manifest.engine !== here) {
    throw invalid(
      manifest.engine === 'server'
        ? `The backup lies on a ClickHouse server as ${manifest.serverBackup}. Expected --clickhouse-url of that server.`
        : 'The backup is of the embedded engine. Expected no --clickhouse-url.',
    );
  }
}

async function checkFiles({ files }: BackupManifest, directory: string): Promise<void> {
  const found = new Map((await recordFiles(directory)).map((file) => [file.path, file]));
  for (const { path, bytes, sha256 } of files) {
    const file = found.get(path);
    if (file === undefined) throw invalid(`The backup lacks ${path}. Expected it as its manifest says.`);
    if (file.bytes !== bytes || file.sha256 !== sha256)
      throw invalid(`${path} of the backup is damaged. Expected the bytes that its manifest says.`);
  }
}

async function clearService(
  { dataDirectory, engineDirectory }: RestorePorts,
  { overwrite }: Restoring,
): Promise<void> {
  const names = [...(await listCarried(dataDirectory)), ...(await listCarried(engineDirectory ?? ''))];
  if (names.length === 0) return;
  if (!overwrite) throw notEmpty(`The data directory ${dataDirectory}`);
  for (const name of await listCarried(dataDirectory))
    await rm(join(dataDirectory, name), { recursive: true, force: true });
  if (engineDirectory !== undefined) await rm(engineDirectory, { recursive: true, force: true });
}

async function restoreStore(
  { engineBackups, openStore }: RestorePorts,
  { directory, overwrite, manifest }: Restoring & { readonly manifest: BackupManifest },
): Promise<RestoreAnswer['tables']> {
  const { store, close } = await openStore();
  const name = manifest.serverBackup === '' ? 'toolscope-restore' : manifest.serverBackup;
  const copy = engineBackups === undefined ? undefined : join(engineBackups, name);
  try {
    if (await hasTables(store)) {
      if (!overwrite) throw notEmpty(`The database ${store.database}`);
    }
    await emptyDatabase(store);
    if (copy !== undefined) await cp(join(directory, STORE_PART), copy, { recursive: true });
    await restoreDatabase(store, name);
    return await checkCounts(store, manifest);
  } finally {
    if (copy !== undefined) await rm(copy, { recursive: true, force: true });
    await close();
  }
}

async function checkCounts(store: Store, manifest: BackupManifest): Promise<RestoreAnswer['tables']> {
  const found = await countTables(store);
  for (const { table, least, most } of manifest.tables) {
    const rows = found.find((other) => other.table === table)?.rows ?? 0;
    if (rows >= least && rows <= most) continue;
    throw new UpstreamError(
      'STORE_REJECTED',
      `Table ${table} was restored with ${rows} rows. Expected ${least === most ? least : `${least} to ${most}`}.`,
      { retryable: false },
    );
  }
  return found;
}

function invalid(message: string, cause?: unknown): UserError {
  return new UserError('INVALID_BACKUP', message, { field: 'directory', cause });
}

function notEmpty(what: string): UserError {
  return new UserError('TARGET_NOT_EMPTY', `${what} is not empty. Expected one that is.`, {
    field: 'dataDirectory',
    hint: 'Name another one with --data-dir, or add --overwrite to remove what is there.',
  });
}
