// Questions without a running service: the rooms are opened for as long as asking takes, under the lock of the data
// directory, as for upkeep.

import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { UserError } from '../errors.ts';
import type { Questions } from './api/questions-port.ts';
import type { Config } from './config/settings.ts';
import { openRooms } from './open-rooms.ts';

/** @throws UserError INVALID_SETTING where there is no data directory, DATA_DIRECTORY_LOCKED, or as the question does */
export async function withQuestions<T>(
  config: Config,
  log: Logger,
  ask: (questions: Questions) => Promise<T>,
): Promise<T> {
  const { dataDirectory } = config;
  if (!existsSync(dataDirectory))
    throw new UserError(
      'INVALID_SETTING',
      `Setting "dataDirectory": there is no ${dataDirectory}. Expected the directory of a service.`,
      { field: 'dataDirectory', hint: 'Name it with --data-dir.' },
    );
  const rooms = await openRooms(config, {
    log,
    registry: new Registry(),
    onStored: () => undefined,
    onLoops: () => undefined,
    onAlerts: () => undefined,
    url: `http://127.0.0.1:${config.port}`,
  });
  try {
    return await ask(rooms.questions);
  } finally {
    await rooms.close();
  }
}
