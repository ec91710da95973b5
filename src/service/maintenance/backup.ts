// Creates a backup: a directory with the engine's copy of the store, the journal with pending calls, and the
// small state files. Writes are held meanwhile, so no batch is partial or in both store and journal. The
// manifest is written last: a directory without one is not a backup.

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { BackupManifest, BackupResponse } from '../../contract/maintenance.ts';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import { NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';
import {
  backupDatabase,
  countTableRows,
  readStoreSchemaVersion,
  type TableRowCount,
} from '../store/backup-database.ts';
import type { Store } from '../store/store.ts';
import { copyBackupFiles, hashFiles, moveDirectory } from './backup-files.ts';
import { prepareBackupTarget } from './backup-target.ts';

export const MANIFEST_FILE = 'manifest.json';
/** Where in a backup the engine's part lies. */
export const STORE_DIRECTORY = 'store';
/** Where in a backup the journal and the small files lie. */
export const SERVICE_DIRECTORY = 'service';

/** What a backup needs from other modules. */
export interface BackupPorts {
  readonly store: Store;
  readonly dataDirectory: string;
  /** Where the engine puts its backups, if it runs on this machine for us. */
  readonly engineBackups: string | undefined;
  readonly ingestNode: string;
  /** Pauses writes to the store until the returned function is called. */
  holdWrites(): Promise<() => void>;
  /** Of this package. */
  readonly version: string;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Copies everything to a directory, while the service goes on.
 *
 * @param requestedDirectory an absolute path, made or empty
 * @throws UserError INVALID_BODY for a directory that cannot be used; UpstreamError when the store fails
 */
export async function backup(ports: BackupPorts, requestedDirectory: string): Promise<BackupResponse> {
  const directory = await prepareBackupTarget(requestedDirectory, ports.dataDirectory);
  const name = `toolscope-${randomBytes(8).toString('hex')}`;
  try {
    const counts = await copyWithWritesHeld(ports, { directory, name });
    if (ports.engineBackups !== undefined)
      await moveDirectory(join(ports.engineBackups, name), join(directory, STORE_DIRECTORY));
    const manifest = await writeManifest(ports, { directory, name, counts });
    ports.log.info({ directory, files: manifest.files.length }, 'backup was written');
    return toBackupResponse(requestedDirectory, manifest);
  } catch (error) {
    // What is there would look like a backup and be none.
    await rm(directory, { recursive: true, force: true });
    if (ports.engineBackups !== undefined)
      await rm(join(ports.engineBackups, name), { recursive: true, force: true });
    throw error;
  }
}

interface BackupLocation {
  readonly directory: string;
  readonly name: string;
}

interface TableCounts {
  readonly before: readonly TableRowCount[];
  readonly after: readonly TableRowCount[];
}

async function copyWithWritesHeld(
  { store, dataDirectory, holdWrites }: BackupPorts,
  { directory, name }: BackupLocation,
): Promise<TableCounts> {
  const release = await holdWrites();
  try {
    const before = await countTableRows(store);
    await backupDatabase(store, name);
    const after = await countTableRows(store);
    await copyBackupFiles(dataDirectory, join(directory, SERVICE_DIRECTORY));
    return { before, after };
  } finally {
    release();
  }
}

async function writeManifest(
  ports: BackupPorts,
  { directory, name, counts }: BackupLocation & { readonly counts: TableCounts },
): Promise<BackupManifest> {
  const isEmbedded = ports.engineBackups !== undefined;
  const manifest: BackupManifest = {
    format: 1,
    version: ports.version,
    createdAt: new Date(ports.now()).toISOString(),
    schemaVersion: await readStoreSchemaVersion(ports.store),
    engine: isEmbedded ? 'embedded' : 'server',
    serverBackup: isEmbedded ? '' : name,
    ingestNode: ports.ingestNode,
    tables: toRowBounds(counts),
    files: await hashFiles(directory),
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeDurableFile(join(directory, MANIFEST_FILE), Buffer.from(text), NODE_FILE_SYSTEM);
  return manifest;
}

function toRowBounds({ before, after }: TableCounts): BackupManifest['tables'] {
  const later = new Map(after.map(({ table, rows }) => [table, rows]));
  return before.map(({ table, rows }) => {
    const laterRows = later.get(table) ?? rows;
    return { table, least: Math.min(rows, laterRows), most: Math.max(rows, laterRows) };
  });
}

function toBackupResponse(directory: string, manifest: BackupManifest): BackupResponse {
  const { engine, serverBackup, schemaVersion, tables, files } = manifest;
  return {
    directory,
    engine,
    serverBackup,
    schemaVersion,
    tables,
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  };
}
