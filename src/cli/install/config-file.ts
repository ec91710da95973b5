// Configuration files on disk. A changed file has a backup beside it, whose name has a hash of what was written: as long as the file is
// what was written, undoing gives the backup, byte for byte.

import { createHash, randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../errors.ts';

const BACKUP_MARK = '.toolscope-backup-';

/** Undefined when there is no such file; other errors of the system reject. */
export async function readConfig(path: string): Promise<string | undefined> {
  try {
    return decode(path, await readFile(path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

/** Keeps a byte order mark, so that writing the text again gives the same bytes. */
function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UserError('INVALID_PARAMETER', `${path} is not UTF-8.`);
  }
}

/** The text before the last change; undefined when the file has changed since, or was never written here. */
export async function readBackup(path: string, current: string): Promise<string | undefined> {
  return readConfig(backupPath(await realpath(path), current));
}

/**
 * Replaces a file in one step, with its mode.
 * @param original the text that undoing gives; undefined when nothing is left to undo
 * @returns the path of the backup
 */
export async function writeConfig(
  path: string,
  text: string,
  original: string | undefined,
): Promise<string | undefined> {
  // A link to a file elsewhere stays a link.
  const target = await realpath(path);
  const old = await listBackups(target);
  const backup = original === undefined ? undefined : backupPath(target, text);
  if (backup !== undefined) await replaceFile(backup, original ?? '', target);
  await replaceFile(target, text, target);
  for (const file of old) if (file !== backup) await rm(file, { force: true });
  return backup;
}

function backupPath(path: string, written: string): string {
  const hash = createHash('sha256').update(written).digest('hex').slice(0, 16);
  return `${path}${BACKUP_MARK}${hash}`;
}

async function listBackups(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const names = await readdir(folder);
  return names
    .filter((name) => name.startsWith(basename(path) + BACKUP_MARK))
    .map((name) => join(folder, name));
}

async function replaceFile(path: string, text: string, like: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const { mode } = await stat(like);
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    await chmod(temporary, mode & 0o777);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
