// The files of a backup: what is copied in addition to the store, and the record of each for a restore.

import { createHash } from 'node:crypto';
import {
  chmod,
  copyFile,
  cp,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface FileRecord {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Files of a data directory that are not copied: the engine copies its own, the rest belongs to a process. */
const EXCLUDED_FILES = [
  // Including files that a restore moved aside.
  /^engine(\.damaged-\d+)?$/,
  /^service\.lock/,
  /^control\.json$/,
  // Addresses and tokens of receivers.
  /^alert-secrets$/,
  /^node_modules$/,
  /^package(-lock)?\.json$/,
  /\.draft$/,
];

/**
 * State files of the service. Other files in a backup are settings or third-party files: a restore skips
 * them.
 */
const STATE_FILE_NAME =
  /^(?:journal|quarantine|ingest|follower|alerts-state|names|saved-views|error-groups|loop-feedback)[\w.-]*$/;

/** Whether a restore accepts the file; settings contain addresses, so they are never restored. */
export function isStateFile(name: string): boolean {
  return STATE_FILE_NAME.test(name) && !name.endsWith('.draft');
}

/** Names in a data directory that belong to a backup; none if it does not exist. */
export async function listBackupFiles(dataDirectory: string): Promise<string[]> {
  const names = await listDirectory(dataDirectory);
  return names.filter((name) => !EXCLUDED_FILES.some((pattern) => pattern.test(name)));
}

/** Copies everything that belongs to a backup to a new directory. */
export async function copyBackupFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await listBackupFiles(from)) await copyTree(join(from, name), join(to, name));
}

async function copyTree(from: string, to: string): Promise<void> {
  if (!(await stat(from)).isDirectory()) {
    await copyFile(from, to);
    await chmod(to, 0o600);
    return;
  }
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(from))
    if (!name.endsWith('.draft')) await copyTree(join(from, name), join(to, name));
}

/** Moves a directory, also to another file system. */
export async function moveDirectory(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    await cp(from, to, { recursive: true });
    await rm(from, { recursive: true, force: true });
  }
}

/** Every file below a directory, with its size and checksum. */
export async function hashFiles(directory: string): Promise<FileRecord[]> {
  const records: FileRecord[] = [];
  for (const path of (await listTree(directory)).sort()) {
    const source = await open(path);
    try {
      records.push({ path: relative(directory, path), ...(await hashFile(source)) });
    } finally {
      await source.close();
    }
  }
  return records;
}

/** Reads an open file to its end, and copies it to a target if there is one. */
export async function hashFile(source: FileHandle, target?: FileHandle): Promise<Omit<FileRecord, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of source.createReadStream({ autoClose: false })) {
    hash.update(chunk);
    bytes += chunk.length;
    await target?.writeFile(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function listTree(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const parts = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? listTree(path) : [path];
  });
  return (await Promise.all(parts)).flat();
}

/** Names in a directory; none if it does not exist. */
export async function listDirectory(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
