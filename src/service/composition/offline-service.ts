// Queries and maintenance without a running service: modules are opened for the duration of the work, under
// the data directory's lock, without listening. The next service runs detection on new calls, from where the
// last one stopped.

import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { UserError } from '../../errors.ts';
import type { Config } from '../config/settings.ts';
import { openServiceModules, type ServiceModules } from './compose.ts';

/**
 * Opens the modules, runs the work and closes them.
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
      `Setting "dataDirectory": there is no ${dataDirectory}. Expected the directory of a service.`,
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
