// Heartbeats of the services that use a database on a ClickHouse server, which no kernel lock protects: each
// service writes one every 15 seconds, valid for a minute. A restore replaces the database only if there are
// none.

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '../../segment-log/clock.ts';
import { every, type Job } from '../jobs/every.ts';
import { queryNumber, type Store } from './store.ts';

export const STORE_USERS_TABLE = 'store_users';

const HEARTBEAT_MS = 15_000;
/** A server outage shorter than this does not expire its users. */
const HEARTBEAT_TIMEOUT_SECONDS = 60;

export interface StoreUser {
  readonly host: string;
  readonly pid: number;
}

export interface StoreHeartbeatOptions extends StoreUser {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Writes the first heartbeat before it resolves. Closing removes it and never rejects: on an unavailable server it
 * expires within a minute.
 *
 * @throws as `Store` does
 */
export async function startHeartbeat(
  store: Store,
  { clock, log, ...user }: StoreHeartbeatOptions,
): Promise<Job> {
  const id = randomBytes(8).toString('hex');
  const writeHeartbeat = (state: 'running' | 'ended'): Promise<void> => {
    const row = Buffer.from(`${JSON.stringify({ id, ...user, state })}\n`);
    return store.insert(STORE_USERS_TABLE, row, `user-${id}-${randomBytes(8).toString('hex')}`);
  };
  const tryWriteHeartbeat = (state: 'running' | 'ended'): Promise<void> =>
    writeHeartbeat(state).catch((error: unknown) =>
      log.debug({ err: error }, 'heartbeat could not be written'),
    );
  await writeHeartbeat('running');
  const job = every(() => tryWriteHeartbeat('running'), {
    firstDelayMs: HEARTBEAT_MS,
    intervalMs: HEARTBEAT_MS,
    clock,
  });
  return {
    async close() {
      await job.close();
      await tryWriteHeartbeat('ended');
    },
  };
}

/** @returns the services with a current heartbeat; none in a database without that table. Throws as `Store` does. */
export async function findStoreUsers(store: Store): Promise<StoreUser[]> {
  const tables = await queryNumber(store, {
    sql: 'SELECT count() FROM system.tables WHERE database = {database:String} AND name = {name:String}',
    params: { database: store.database, name: STORE_USERS_TABLE },
  });
  if (tables === 0) return [];
  return store.query({
    sql: `SELECT host, pid FROM ${STORE_USERS_TABLE} FINAL
          WHERE state = 'running' AND seen_at > now64(3) - INTERVAL {seconds:UInt32} SECOND
          ORDER BY host, pid LIMIT 20`,
    params: { seconds: HEARTBEAT_TIMEOUT_SECONDS },
    row: z.object({ host: z.string(), pid: z.number() }),
  });
}
