// Reads files from a backup directory: only regular files that the manifest lists, with matching bytes, at
// paths inside the backup. Links and unlisted files are ignored.

import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError } from '../../errors.ts';
import { type FileRecord, hashFile } from './backup-files.ts';

/**
 * Checks every listed file: its path, that it is a regular file with no link on the way, and its bytes.
 *
 * @throws UserError INVALID_BACKUP for the first file that differs from the manifest
 */
export async function checkFiles(directory: string, files: readonly FileRecord[]): Promise<void> {
  const seen = new Set<string>();
  for (const file of files) {
    if (!isInside(file.path))
      throw invalidFileError(file, 'is not a path inside a backup. Expected one without "..".');
    if (seen.has(file.path)) throw invalidFileError(file, 'is listed twice. Expected each file once.');
    seen.add(file.path);
    await checkIsRegularFile(directory, file);
    await transfer(file, { from: join(directory, file.path) });
  }
}

/**
 * Copies listed files, whose paths were checked, and checks the bytes that are written.
 *
 * @param prefix of the paths to take, with its slash; it is not part of their paths in the target
 * @throws UserError INVALID_BACKUP for a file that was changed since it was checked
 */
export async function copyFiles(
  { directory, files }: { readonly directory: string; readonly files: readonly FileRecord[] },
  { prefix, target }: { readonly prefix: string; readonly target: string },
): Promise<void> {
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue;
    const to = join(target, file.path.slice(prefix.length));
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await checkIsRegularFile(directory, file);
    await transfer(file, { from: join(directory, file.path), to });
  }
}

/** Whether a path has no part that leads out of its directory. */
export function isInside(path: string): boolean {
  if (/[\0\\]/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Checks every directory of the path too: a link among them would lead out of the backup. */
async function checkIsRegularFile(directory: string, file: FileRecord): Promise<void> {
  const parts = file.path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const stats = await lstatIfExists(join(directory, ...parts.slice(0, length)));
    if (stats === undefined)
      throw invalidFileError(file, 'is missing. Expected it as the manifest lists it.');
    const isExpected = length === parts.length ? stats.isFile() : stats.isDirectory();
    if (!isExpected)
      throw invalidFileError(file, 'is a link or not a file. Expected a regular file in directories.');
  }
}

async function lstatIfExists(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads a file, checks its bytes, and copies it if there is a target. */
async function transfer(
  file: FileRecord,
  { from, to }: { readonly from: string; readonly to?: string },
): Promise<void> {
  // Never follows a link or waits for a pipe that replaced the file after the check.
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const target = to === undefined ? undefined : await open(to, 'wx', 0o600);
  try {
    const { bytes, sha256 } = await hashFile(source, target);
    if (bytes !== file.bytes || sha256 !== file.sha256)
      throw invalidFileError(file, 'is damaged. Expected the size and checksum of the manifest.');
  } finally {
    await source.close();
    await target?.close();
  }
}

function invalidFileError({ path }: FileRecord, what: string): UserError {
  return invalidBackupError(`${JSON.stringify(path)} of the backup ${what}`);
}

export function invalidBackupError(message: string, cause?: unknown): UserError {
  return new UserError('INVALID_BACKUP', message, { field: 'directory', cause });
}
