// Upkeep without a running service: the rooms are opened for as long as the work takes, under the lock of the data
// directory, and nobody is listened to.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { RestoreAnswer } from '../contract/upkeep.ts';
import { UserError } from '../errors.ts';
import type { UpkeepPort } from './api/upkeep.ts';
import type { Config } from './config/settings.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { lockDataDirectory } from './lock-data-directory.ts';
import { openRooms } from './open-rooms.ts';
import { openBareStore } from './open-store.ts';
import { engineBackupsOf } from './open-upkeep.ts';
import { type Restoring, restore } from './upkeep/restore.ts';

/**
 * Opens the rooms, does the work and closes them.
 *
 * @throws UserError INVALID_SETTING where there is no data directory, DATA_DIRECTORY_LOCKED, or as the work does
 */
export async function withUpkeep<T>(
  config: Config,
  log: Logger,
  work: (upkeep: UpkeepPort) => Promise<T>,
): Promise<T> {
  const { dataDirectory } = config;
  if (!existsSync(dataDirectory)) {
    throw new UserError(
      'INVALID_SETTING',
      `Setting "dataDirectory": there is no ${dataDirectory}. Expected the directory of a service.`,
      { field: 'dataDirectory', hint: 'Name it with --data-dir.' },
    );
  }
  const rooms = await openRooms(config, {
    log,
    registry: new Registry(),
    onStored: () => undefined,
    onLoops: () => undefined,
    onAlerts: () => undefined,
    url: `http://127.0.0.1:${config.port}`,
  });
  try {
    return await work(rooms.upkeep);
  } finally {
    await rooms.close();
  }
}

/** Puts a backup back into the data directory and the store that the settings name. Throws as `restore` does. */
export async function restoreBackup(
  config: Config,
  log: Logger,
  restoring: Restoring,
): Promise<RestoreAnswer> {
  const { dataDirectory } = config;
  prepareDataDirectory(dataDirectory);
  const unlock = await lockDataDirectory(dataDirectory);
  const engineBackups = engineBackupsOf(config);
  try {
    const ports = {
      dataDirectory,
      engineBackups,
      engineDirectory: engineBackups === undefined ? undefined : join(dataDirectory, 'engine'),
      openStore: () => openBareStore(config, log),
      log,
    };
    return await restore(ports, restoring);
  } finally {
    unlock();
  }
}
