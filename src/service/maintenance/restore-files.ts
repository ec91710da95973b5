// Reads files from a backup directory: only regular files that the manifest lists, with matching bytes, at
// paths inside the backup. Links and unlisted files are ignored.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../../errors.ts';
import type { FileRecord } from './backup-files.ts';

/**
 * Checks every listed file: its path, that it is a regular file with no link on the way, and its bytes.
 *
 * @throws UserError INVALID_BACKUP naming the first that is not as the manifest says
 */
export async function checkFiles(directory: string, files: readonly FileRecord[]): Promise<void> {
  const seen = new Set<string>();
  for (const file of files) {
    if (!isInside(file.path))
      throw invalidFileError(file, 'is no path inside a backup. Expected one without "..".');
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

function isInside(path: string): boolean {
  if (/[\0\\]/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Every directory on the way too: a link among them leads out of the backup. */
async function checkIsRegularFile(directory: string, file: FileRecord): Promise<void> {
  const parts = file.path.split('/');
  for (let length = 1; length <= parts.length; length += 1) {
    const stats = await lstatIfExists(join(directory, ...parts.slice(0, length)));
    if (stats === undefined) throw missingFileError(file);
    const isExpected = length === parts.length ? stats.isFile() : stats.isDirectory();
    if (!isExpected)
      throw invalidFileError(file, 'is a link or no file. Expected a regular file below directories.');
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

/** Reads a file to the end, and writes it where a target is given. */
async function transfer(
  file: FileRecord,
  { from, to }: { readonly from: string; readonly to?: string },
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  // Not through a link, nor waiting for the other end of a pipe, that was put there after the look.
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const target = to === undefined ? undefined : await open(to, 'wx', 0o600);
  try {
    await pipeline(source.createReadStream({ autoClose: false }), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        await target?.writeFile(chunk);
      }
    });
  } finally {
    await source.close();
    await target?.close();
  }
  if (bytes !== file.bytes || hash.digest('hex') !== file.sha256)
    throw invalidFileError(file, 'is damaged. Expected the bytes that the manifest says.');
}

function missingFileError({ path }: FileRecord): UserError {
  return new UserError('INVALID_BACKUP', `The backup lacks ${path}. Expected it as its manifest says.`, {
    field: 'directory',
  });
}

function invalidFileError({ path }: FileRecord, what: string): UserError {
  return new UserError('INVALID_BACKUP', `${JSON.stringify(path)} of the backup ${what}`, {
    field: 'directory',
  });
}
