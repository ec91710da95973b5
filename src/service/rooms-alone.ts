// Questions and upkeep without a running service: the rooms are opened for as long as the work takes, under the lock of the
// data directory, and nobody is listened to. New calls are judged by the next service, from where the last one stopped.

import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { UserError } from '../errors.ts';
import type { Config } from './config/settings.ts';
import { openRooms, type Rooms } from './open-rooms.ts';

/**
 * Opens the rooms, does the work and closes them.
 *
 * @throws UserError INVALID_SETTING where there is no data directory, DATA_DIRECTORY_LOCKED, or as the work does
 */
export async function withRooms<T>(
  config: Config,
  log: Logger,
  work: (rooms: Rooms) => Promise<T>,
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
    follows: false,
    onStored: () => undefined,
    onLoops: () => undefined,
    onAlerts: () => undefined,
    url: `http://127.0.0.1:${config.port}`,
  });
  try {
    return await work(rooms);
  } finally {
    await rooms.close();
  }
}
