// Work without a running service, under the data directory's lock and without listening: queries and
// maintenance on opened modules, and the restoration of a backup before any module is opened.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { RestoreResponse } from '../../contract/maintenance.ts';
import { UserError } from '../../errors.ts';
import type { Config } from '../config/settings.ts';
import { lockDataDirectory } from '../data-directory/lock-data-directory.ts';
import { prepareDataDirectory } from '../data-directory/prepare-data-directory.ts';
import { type RestoreRequest, restore } from '../maintenance/restore.ts';
import { openServiceModules, type ServiceModules } from './compose.ts';
import { openUnmigratedStore, toEngineBackupDirectory } from './open-store.ts';

/**
 * Opens the modules, runs the work and closes them. Detection does not run; the next service continues it where
 * the last one stopped.
 *
 * @throws UserError INVALID_SETTING without a data directory, DATA_DIRECTORY_LOCKED, or as the work does
 */
export async function withOfflineService<T>(
  config: Config,
  log: Logger,
  work: (modules: ServiceModules) => Promise<T>,
): Promise<T> {
  const { dataDirectory } = config;
  if (!existsSync(dataDirectory)) {
    throw new UserError(
      'INVALID_SETTING',
      `Setting "dataDirectory": ${dataDirectory} does not exist. Expected the data directory of a service.`,
      { field: 'dataDirectory', hint: 'Name it with --data-dir.' },
    );
  }
  const modules = await openServiceModules(config, {
    log,
    registry: new Registry(),
    isDetectionEnabled: false,
    onStored: () => undefined,
    onLoops: () => undefined,
    onAlerts: () => undefined,
    url: `http://127.0.0.1:${config.port}`,
  });
  try {
    return await work(modules);
  } finally {
    await modules.close();
  }
}

/** Restores a backup into the data directory and the store of the settings. Throws as `restore` does. */
export async function restoreBackup(
  config: Config,
  log: Logger,
  request: RestoreRequest,
): Promise<RestoreResponse> {
  const { dataDirectory } = config;
  prepareDataDirectory(dataDirectory);
  const unlock = await lockDataDirectory(dataDirectory);
  const engineBackups = toEngineBackupDirectory(config);
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
