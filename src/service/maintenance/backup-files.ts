// The files of a backup: what is copied in addition to the store, and the record of each for a restore.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface FileRecord {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a data directory holds that is not carried along: the engine's files have their own way, the rest is of a process. */
const EXCLUDED_FILES = [
  // And what a restore has put aside.
  /^engine(\.damaged-\d+)?$/,
  /^service\.lock/,
  /^control\.json$/,
  /^node_modules$/,
  /^package(-lock)?\.json$/,
  /\.draft$/,
];

/**
 * State files of the service. Other files in a backup are settings or third-party files: a restore skips
 * them.
 */
const STATE_FILE_NAME = /^(?:journal|quarantine|ingest|follower|alerts-state|names)[\w.-]*$/;

/** Whether a restore takes a name of a data directory; settings say where things are sent, so a backup never brings them. */
export function isStateFile(name: string): boolean {
  return STATE_FILE_NAME.test(name) && !name.endsWith('.draft');
}

/** Names in a data directory that belong to a backup; none in a directory that is not there. */
export async function listBackupFiles(dataDirectory: string): Promise<string[]> {
  const names = await listDirectory(dataDirectory);
  return names.filter((name) => !EXCLUDED_FILES.some((pattern) => pattern.test(name)));
}

/** Copies everything that belongs to a backup from one data directory to another, which is made. */
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

/** Moves a directory, also to another disk. */
export async function moveDirectory(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    await cp(from, to, { recursive: true });
    await rm(from, { recursive: true, force: true });
  }
}

/** Every file below a directory with its size and checksum, by its path. */
export async function hashFiles(directory: string): Promise<FileRecord[]> {
  const records: FileRecord[] = [];
  for (const path of (await listTree(directory)).sort()) {
    const hash = createHash('sha256');
    let bytes = 0;
    await pipeline(createReadStream(path), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
      }
    });
    records.push({ path: relative(directory, path), bytes, sha256: hash.digest('hex') });
  }
  return records;
}

async function listTree(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const parts = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? listTree(path) : [path];
  });
  return (await Promise.all(parts)).flat();
}

/** Names in a directory; none when it is not there. */
export async function listDirectory(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
