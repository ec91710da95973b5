// Opens the store: starts the embedded engine or connects to the configured server, migrates it and sets its
// retention. Waits for a server that is not up yet, because compose gives no start order after a restart.

import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { UpstreamError } from '../../errors.ts';
import { SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import { toClickHouseAddress } from '../config/clickhouse-address.ts';
import type { Config } from '../config/settings.ts';
import { startEngine } from '../engine/engine.ts';
import { toEngineFiles } from '../engine/engine-files.ts';
import { waitUntilDeadline, withDeadline } from '../jobs/deadline.ts';
import { EMBEDDED_READ_CONCURRENCY, limitReads, SERVER_READ_CONCURRENCY } from '../store/limit-reads.ts';
import { migrate } from '../store/migrate.ts';
import { applyRetention } from '../store/retention.ts';
import { type SharedReads, shareReads, withWriteListener } from '../store/share-reads.ts';
import { createStore, type Store } from '../store/store.ts';
import { startHeartbeat } from '../store/store-heartbeat.ts';

interface StoreConnection {
  readonly store: Store;
  /** For people: which engine, and where. */
  readonly description: string;
  /** Stops the embedded engine too. */
  close(): Promise<void>;
}

export interface StoreHandle extends StoreConnection {
  /** The store for queries: limits their number and their cost. */
  readonly reader: Pick<Store, 'query'>;
  /** The same, and queries share their reads. */
  readonly sharedReader: SharedReads;
  /** Whether the store answers within two seconds. */
  isReachable(): Promise<boolean>;
}

export interface OpenStoreOptions {
  readonly log: Logger;
  /** Called each time the embedded engine answers again after it ended unexpectedly. */
  readonly onEngineRestart?: () => void;
}

const DATABASE = 'toolscope';
/** A server that restarts is back within this time; after it, the address is probably wrong. */
const START_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 500;
const PING_TIMEOUT_MS = 2_000;
/** Rows that a page reads from a ClickHouse server are no older, because other services may write to it. */
const MAX_SERVER_READ_AGE_MS = 3_000;
/** Only this process writes to the embedded engine; expired rows are gone from answers within this time. */
const MAX_EMBEDDED_READ_AGE_MS = 600_000;
/** ClickHouse's UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, ACCESS_DENIED, AUTHENTICATION_FAILED. */
const AUTHENTICATION_CODES = ['192', '193', '194', '497', '516'];

/**
 * Opens the store that the settings name.
 *
 * @throws UserError ENGINE_MISSING or DATA_DIRECTORY_LOCKED
 * @throws UpstreamError when it does not answer within 30 seconds or refuses the schema
 */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<StoreHandle> {
  const { log } = options;
  const connection = await connect(config, options);
  const isEmbedded = config.clickhouseUrl === undefined;
  const reader = limitReads(
    connection.store,
    isEmbedded ? EMBEDDED_READ_CONCURRENCY : SERVER_READ_CONCURRENCY,
  );
  const sharedReader = shareReads(reader, {
    clock: () => performance.now(),
    maxAgeMs: isEmbedded ? MAX_EMBEDDED_READ_AGE_MS : MAX_SERVER_READ_AGE_MS,
    isOnlyWriter: isEmbedded,
  });
  const store = withWriteListener(connection.store, sharedReader.invalidate);
  try {
    await prepareSchema(store, config, log);
    const owner = { host: hostname(), pid: process.pid };
    const heartbeat = isEmbedded
      ? undefined
      : await startHeartbeat(store, { ...owner, clock: SYSTEM_CLOCK, log });
    const close = async (): Promise<void> => {
      const end = { what: 'heartbeat in the store', withinMs: PING_TIMEOUT_MS, log };
      if (heartbeat) await waitUntilDeadline(heartbeat.close(), end);
      await connection.close();
    };
    return { ...connection, store, reader, sharedReader, close, isReachable: () => respondsInTime(store) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Opens the store with its existing schema, or an empty database. */
export async function openUnmigratedStore(config: Config, log: Logger): Promise<StoreConnection> {
  const connection = await connect(config, { log });
  try {
    await connection.store.createDatabase();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Where the embedded engine writes its backups; undefined for a ClickHouse server. */
export function toEngineBackupDirectory({ clickhouseUrl, dataDirectory }: Config): string | undefined {
  return clickhouseUrl === undefined ? join(toEngineFiles(dataDirectory).database, 'backups') : undefined;
}

async function connect(config: Config, { log, onEngineRestart }: OpenStoreOptions): Promise<StoreConnection> {
  const address = toClickHouseAddress(config);
  if (address) {
    const store = createStore({ ...address, database: DATABASE, log });
    return { store, description: `ClickHouse at ${address.url}`, close: () => store.close() };
  }
  const engine = await startEngine({ dataDirectory: config.dataDirectory, log });
  engine.onRestart(() => {
    log.warn({ pid: engine.pid() }, 'engine was restarted');
    onEngineRestart?.();
  });
  const { url, username, password } = engine;
  const store = createStore({ url, username, password, database: DATABASE, log });
  const close = async (): Promise<void> => {
    await store.close();
    await engine.stop();
  };
  return { store, description: `embedded, in ${config.dataDirectory}`, close };
}

async function prepareSchema(store: Store, config: Config, log: Logger): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; await delay(RETRY_INTERVAL_MS)) {
    try {
      const applied = await migrate(store);
      if (applied > 0) log.info({ applied }, 'schema was brought up to date');
      await applyRetention(store, {
        rawDays: config.retentionDays,
        rollupDays: config.rollupRetentionDays,
        payloadDays: config.payloadRetentionDays,
        childSpanDays: config.childSpanRetentionDays,
        agentCallDays: config.agentCallRetentionDays,
      });
      return;
    } catch (error) {
      const isTransient =
        error instanceof UpstreamError && error.retryable && !isAuthenticationError(error.cause);
      if (!isTransient || Date.now() >= deadline) throw error;
      log.warn({ code: error.code, reason: error.message }, 'store does not answer yet');
    }
  }
}

/**
 * Whether the server rejected the credentials. At runtime that is retried, because the user may be corrected;
 * at startup it is most likely a mistyped password and fails at once.
 */
function isAuthenticationError(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && AUTHENTICATION_CODES.includes(String(cause.code));
}

async function respondsInTime(store: Store): Promise<boolean> {
  const ping = store.ping().catch(() => false);
  return (await withDeadline(ping, { withinMs: PING_TIMEOUT_MS })) === true;
}
