// Prepares the data directory, which holds every call: only its owner may access it.

import { accessSync, constants, mkdirSync } from 'node:fs';
import { UserError } from '../../errors.ts';

/**
 * Makes the directory with mode 0700, or checks that it can be written. The mode of one that exists is left alone: it
 * may be a mounted volume.
 *
 * @throws UserError INVALID_SETTING when it cannot be used
 */
export function prepareDataDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new UserError(
      'INVALID_SETTING',
      `Setting "dataDirectory": ${path} cannot be written. Expected a directory of this user. Name one with --data-dir.`,
      { field: 'dataDirectory', cause },
    );
  }
}
