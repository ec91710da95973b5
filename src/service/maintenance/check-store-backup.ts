// Validates the engine's file list of a backup, `store/.backup`, before the engine reads it: it may reference
// another backup at any address, and files outside the backup, which our backups never do. The engine's
// parser also accepts entities and document types, so everything except the plain elements of our backups is
// refused.

import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../errors.ts';

const LIST_FILE = '.backup';
/** Of a backup of ten thousand parts it has about 40 MB; none of ours comes near. */
const MAX_BYTES = 256 * 1024 * 1024;
const ELEMENT = /<(\/?)([a-z_]+)>([^<&]*)/gy;
const ALLOWED_ELEMENTS = new Set([
  ...['config', 'version', 'deduplicate_files', 'timestamp', 'uuid', 'backup_id', 'contents', 'file', 'name'],
  ...['size', 'checksum', 'data_file'],
]);

/**
 * Checks what the engine will be told to read.
 *
 * @param directory the store's part of a backup
 * @throws UserError INVALID_BACKUP for a list that names anything outside that directory, or that cannot be read
 */
export async function checkStoreBackup(directory: string): Promise<void> {
  const path = join(directory, LIST_FILE);
  if ((await lstat(path)).size > MAX_BYTES) throw invalidBackupError('it is too large');
  const reason = findForeignEntry(await readFile(path, 'utf8'));
  if (reason !== undefined) throw invalidBackupError(reason);
}

/** @returns what in a list is none of ours; undefined where all of it is */
export function findForeignEntry(list: string): string | undefined {
  let end = 0;
  for (const [text, close, name = '', value = ''] of list.trim().matchAll(ELEMENT)) {
    end += text.length;
    if (!ALLOWED_ELEMENTS.has(name)) return `it has the element ${name}`;
    if (close === '' && (name === 'name' || name === 'data_file') && !isInside(value))
      return `it names the file ${JSON.stringify(value.slice(0, 200))}`;
  }
  return end === list.trim().length && end > 0 ? undefined : 'it is no list of plain elements';
}

function isInside(path: string): boolean {
  // Control characters and the other slash are in no name that the engine writes: it escapes them.
  if (/[^\x21-\x5b\x5d-\x7e]/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function invalidBackupError(reason: string): UserError {
  return new UserError(
    'INVALID_BACKUP',
    `store/${LIST_FILE} of the backup is not what toolscope backup writes: ${reason}. Expected files of the backup alone.`,
    { field: 'directory' },
  );
}
