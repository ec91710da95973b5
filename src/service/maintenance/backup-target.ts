// Validates a backup target: outside the data directory, whichever path leads there. A copy into the
// directory being copied never ends, and would be lost with it.

import { mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '../../errors.ts';
import { listDirectory } from './backup-files.ts';

/**
 * Makes the directory, or checks that it is empty. Nothing is written before it is known to lie outside.
 *
 * @param directory an absolute path; ".." in it is taken away by the letter, before any link is followed
 * @returns the same directory by a path without links
 * @throws UserError INVALID_BODY for a directory that cannot be used
 */
export async function prepareBackupTarget(directory: string, dataDirectory: string): Promise<string> {
  try {
    const target = await resolveLinks(resolve(directory));
    if (await isInside(target, dataDirectory))
      throw targetError(directory, 'lies in the data directory, and would be lost with it');
    if ((await listDirectory(target)).length > 0) throw targetError(directory, 'is not empty');
    await mkdir(target, { recursive: true, mode: 0o700 });
    return target;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw targetError(directory, `cannot be used (${toSystemErrorCode(error) ?? 'unknown'})`);
  }
}

/** Of what is there already; the rest of the path has no links yet. */
async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (toSystemErrorCode(error) !== 'ENOENT' || path === dirname(path)) throw error;
    return join(await resolveLinks(dirname(path)), basename(path));
  }
}

/** By what the directories are, not by their names: one may be mounted at two places. */
async function isInside(path: string, dataDirectory: string): Promise<boolean> {
  const data = await stat(dataDirectory);
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found?.dev === data.dev && found.ino === data.ino) return true;
    if (at === dirname(at)) return false;
  }
}

function targetError(directory: string, why: string): UserError {
  return new UserError(
    'INVALID_BODY',
    `The directory ${directory} ${why}. Expected a path that does not exist yet, or an empty directory.`,
    { field: 'directory' },
  );
}

function toSystemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
