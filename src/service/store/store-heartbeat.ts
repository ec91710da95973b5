// Heartbeats of the services that use a database on a ClickHouse server, which no kernel lock protects: each
// service writes one every 15 seconds, valid for a minute. A restore replaces the database only if there are
// none.

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '../../segment-log/clock.ts';
import type { Store } from './store.ts';

export const STORE_USERS_TABLE = 'store_users';

const HEARTBEAT_MS = 15_000;
/** A server outage shorter than this does not expire its users. */
const HEARTBEAT_TIMEOUT_SECONDS = 60;

export interface StoreUser {
  readonly host: string;
  readonly pid: number;
}

export interface StoreHeartbeat {
  /** Removes the heartbeat. Never rejects: on an unavailable server it expires within a minute. */
  close(): Promise<void>;
}

export interface StoreHeartbeatOptions extends StoreUser {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Says that a service uses the database, once before it resolves and then until it is closed. @throws as `Store` does */
export async function startHeartbeat(
  store: Store,
  { clock, log, ...user }: StoreHeartbeatOptions,
): Promise<StoreHeartbeat> {
  const id = randomBytes(8).toString('hex');
  const writeHeartbeat = (state: 'running' | 'ended'): Promise<void> => {
    const row = Buffer.from(`${JSON.stringify({ id, ...user, state })}\n`);
    return store.insert(STORE_USERS_TABLE, row, `user-${id}-${randomBytes(8).toString('hex')}`);
  };
  const warn = (error: unknown): void => log.debug({ err: error }, 'store was not told that it is used');
  let cancel = (): void => undefined;
  let writing = writeHeartbeat('running');
  await writing;
  const scheduleNext = (): void => {
    cancel = clock.schedule(HEARTBEAT_MS, () => {
      writing = writeHeartbeat('running').catch(warn).finally(scheduleNext);
    });
  };
  scheduleNext();
  return {
    async close() {
      cancel();
      await writing;
      cancel();
      await writeHeartbeat('ended').catch(warn);
    },
  };
}

/** @returns the services that were seen in the last minute and have not ended; none where the schema is older than that. Throws as `Store` does. */
export async function findStoreUsers(store: Store): Promise<StoreUser[]> {
  const [table] = await store.query({
    sql: 'SELECT count() AS tables FROM system.tables WHERE database = {database:String} AND name = {name:String}',
    params: { database: store.database, name: STORE_USERS_TABLE },
    row: z.object({ tables: z.coerce.number() }),
  });
  if (table?.tables !== 1) return [];
  return store.query({
    sql: `SELECT host, pid FROM ${STORE_USERS_TABLE} FINAL
          WHERE state = 'running' AND seen_at > now64(3) - INTERVAL {seconds:UInt32} SECOND
          ORDER BY host, pid LIMIT 20`,
    params: { seconds: HEARTBEAT_TIMEOUT_SECONDS },
    row: z.object({ host: z.string(), pid: z.number() }),
  });
}
