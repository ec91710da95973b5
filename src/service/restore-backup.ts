// Restoring without a running service: under the lock of the data directory, before any room is opened over it.

import { join } from 'node:path';
import type { Logger } from 'pino';
import type { RestoreResponse } from '../contract/upkeep.ts';
import type { Config } from './config/settings.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { lockDataDirectory } from './lock-data-directory.ts';
import { openUnmigratedStore } from './open-store.ts';
import { engineBackupDirectory } from './open-upkeep.ts';
import { type RestoreRequest, restore } from './upkeep/restore.ts';

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
