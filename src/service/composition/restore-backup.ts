// Restores a backup without a running service: under the data directory's lock, before any module is opened.

import { join } from 'node:path';
import type { Logger } from 'pino';
import type { RestoreResponse } from '../../contract/maintenance.ts';
import type { Config } from '../config/settings.ts';
import { lockDataDirectory } from '../data-directory/lock-data-directory.ts';
import { prepareDataDirectory } from '../data-directory/prepare-data-directory.ts';
import { type RestoreRequest, restore } from '../maintenance/restore.ts';
import { engineBackupDirectory } from './open-maintenance.ts';
import { openUnmigratedStore } from './open-store.ts';

/** Puts a backup back into the data directory and the store that the settings name. Throws as `restore` does. */
export async function restoreBackup(
  config: Config,
  log: Logger,
  request: RestoreRequest,
): Promise<RestoreResponse> {
  const { dataDirectory } = config;
  prepareDataDirectory(dataDirectory);
  const unlock = await lockDataDirectory(dataDirectory);
  const engineBackups = engineBackupDirectory(config);
  try {
    const ports = {
      dataDirectory,
      engineBackups,
      engineDirectory: engineBackups === undefined ? undefined : join(dataDirectory, 'engine'),
      openStore: () => openUnmigratedStore(config, log),
      now: Date.now,
      log,
    };
    return await restore(ports, request);
  } finally {
    unlock();
  }
}
