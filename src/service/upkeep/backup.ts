// A backup is a directory: the store as the engine copies it, the journal with what had not reached the store, and the small
// files beside them. Nothing is shipped meanwhile, so no batch is in it half, and none both in the store and in the journal.
// The manifest is written last: a directory without one is no backup.

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { BackupAnswer, BackupManifest } from '../../contract/upkeep.ts';
import { writeDurableFile } from '../../segments/durable-file.ts';
import { NODE_FILE_SYSTEM } from '../../segments/file-system.ts';
import { backupDatabase, countTables, readSchemaVersion, type TableRows } from '../store/backup-database.ts';
import type { Store } from '../store/store.ts';
import { copyCarried, moveDirectory, recordFiles } from './backup-files.ts';
import { prepareTarget } from './backup-target.ts';

export const MANIFEST = 'manifest.json';
/** Where in a backup the engine's part lies. */
export const STORE_PART = 'store';
/** Where in a backup the journal and the small files lie. */
export const SERVICE_PART = 'service';

/** What a backup needs of the other rooms. */
export interface BackupPorts {
  readonly store: Store;
  readonly dataDirectory: string;
  /** Where the engine puts its backups, if it runs on this machine for us. */
  readonly engineBackups: string | undefined;
  readonly ingestNode: string;
  /** Lets nothing go to the store until what it returns is called. */
  holdShipping(): Promise<() => void>;
  /** Of this package. */
  readonly version: string;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Copies everything to a directory, while the service goes on.
 *
 * @param wanted an absolute path, made or empty
 * @throws UserError INVALID_BODY for a directory that cannot be used; UpstreamError when the store fails
 */
export async function backup(ports: BackupPorts, wanted: string): Promise<BackupAnswer> {
  const directory = await prepareTarget(wanted, ports.dataDirectory);
  const name = `toolscope-${randomBytes(8).toString('hex')}`;
  try {
    const counts = await copyAtRest(ports, { directory, name });
    if (ports.engineBackups !== undefined)
      await moveDirectory(join(ports.engineBackups, name), join(directory, STORE_PART));
    const manifest = await writeManifest(ports, { directory, name, counts });
    ports.log.info({ directory, files: manifest.files.length }, 'backup was written');
    return summarize(wanted, manifest);
  } catch (error) {
    // What is there would look like a backup and be none.
    await rm(directory, { recursive: true, force: true });
    if (ports.engineBackups !== undefined)
      await rm(join(ports.engineBackups, name), { recursive: true, force: true });
    throw error;
  }
}

interface Target {
  readonly directory: string;
  readonly name: string;
}

interface Counts {
  readonly before: readonly TableRows[];
  readonly after: readonly TableRows[];
}

async function copyAtRest(
  { store, dataDirectory, holdShipping }: BackupPorts,
  { directory, name }: Target,
): Promise<Counts> {
  const release = await holdShipping();
  try {
    const before = await countTables(store);
    await backupDatabase(store, name);
    const after = await countTables(store);
    await copyCarried(dataDirectory, join(directory, SERVICE_PART));
    return { before, after };
  } finally {
    release();
  }
}

async function writeManifest(
  ports: BackupPorts,
  { directory, name, counts }: Target & { readonly counts: Counts },
): Promise<BackupManifest> {
  const isEmbedded = ports.engineBackups !== undefined;
  const manifest: BackupManifest = {
    format: 1,
    version: ports.version,
    createdAt: new Date(ports.now()).toISOString(),
    schemaVersion: await readSchemaVersion(ports.store),
    engine: isEmbedded ? 'embedded' : 'server',
    serverBackup: isEmbedded ? '' : name,
    ingestNode: ports.ingestNode,
    tables: toBounds(counts),
    files: await recordFiles(directory),
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeDurableFile(join(directory, MANIFEST), Buffer.from(text), NODE_FILE_SYSTEM);
  return manifest;
}

function toBounds({ before, after }: Counts): BackupManifest['tables'] {
  const later = new Map(after.map(({ table, rows }) => [table, rows]));
  return before.map(({ table, rows }) => {
    const then = later.get(table) ?? rows;
    return { table, least: Math.min(rows, then), most: Math.max(rows, then) };
  });
}

function summarize(directory: string, manifest: BackupManifest): BackupAnswer {
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
