// Validates the engine's file list of a backup, `store/.backup`, before the engine reads it: it may reference
// another backup at any address, and files outside the backup, which our backups never do. The engine's
// parser also accepts entities and document types, so everything except the plain elements of our backups is
// refused.

import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserError } from '../../errors.ts';
import { invalidBackupError, isInside } from './restore-files.ts';

const LIST_FILE = '.backup';
/** The list of a backup with ten thousand parts has about 40 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
const ELEMENT = /<(\/?)([a-z_]+)>([^<&]*)/gy;
const ALLOWED_ELEMENTS = new Set([
  ...['config', 'version', 'deduplicate_files', 'timestamp', 'uuid', 'backup_id', 'contents', 'file', 'name'],
  ...['size', 'checksum', 'data_file'],
]);

/**
 * Checks the list of files that the engine will read.
 *
 * @param directory of the store in a backup
 * @throws UserError INVALID_BACKUP for a list with a path outside that directory, or an unexpected element
 */
export async function checkStoreBackup(directory: string): Promise<void> {
  const path = join(directory, LIST_FILE);
  if ((await lstat(path)).size > MAX_BYTES) throw invalidListError('it is too large');
  const reason = findForeignEntry(await readFile(path, 'utf8'));
  if (reason !== undefined) throw invalidListError(reason);
}

/** @returns what is unexpected in a list, if anything */
export function findForeignEntry(list: string): string | undefined {
  let end = 0;
  for (const [text, close, name = '', value = ''] of list.trim().matchAll(ELEMENT)) {
    end += text.length;
    if (!ALLOWED_ELEMENTS.has(name)) return `it has the element ${name}`;
    if (close === '' && (name === 'name' || name === 'data_file') && !isEnginePath(value))
      return `it names the file ${JSON.stringify(value.slice(0, 200))}`;
  }
  return end === list.trim().length && end > 0 ? undefined : 'it is not a list of plain elements';
}

/** The engine escapes control characters and backslashes in its names. */
function isEnginePath(path: string): boolean {
  return /^[\x21-\x5b\x5d-\x7e]*$/.test(path) && isInside(path);
}

function invalidListError(reason: string): UserError {
  return invalidBackupError(
    `store/${LIST_FILE} of the backup was not written by toolscope backup: ${reason}. Expected only files of the backup.`,
  );
}
