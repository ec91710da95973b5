// Opens the store: starts the embedded engine or connects to the configured server, migrates it and sets its
// retention. Waits for a server that is not up yet, because compose gives no start order after a restart.

import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { UpstreamError } from '../../errors.ts';
import { SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import { type ClickHouseAddress, toClickHouseAddress } from '../config/clickhouse-address.ts';
import type { Config } from '../config/settings.ts';
import { startEngine } from '../engine/engine.ts';
import { waitUntilDeadline } from '../jobs/deadline.ts';
import { migrate } from '../store/migrate.ts';
import { applyRetention } from '../store/retention.ts';
import { createStore, type Store } from '../store/store.ts';
import { type StoreHeartbeat, startHeartbeat } from '../store/store-heartbeat.ts';

export interface StoreHandle {
  readonly store: Store;
  /** For people: which engine, and where. */
  readonly description: string;
  /** Whether it answers, within two seconds. */
  isReachable(): Promise<boolean>;
  /** Ends the engine too, if it is ours; bounded by what the engine takes. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  readonly log: Logger;
  /** Called each time an engine of ours answers again after it ended unexpectedly. */
  readonly onEngineRestart?: () => void;
}

const DATABASE = 'toolscope';
/** A server that restarts is back within this; a mistyped address is a mistake by then. */
const START_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 500;
const PING_TIMEOUT_MS = 2_000;
/** ClickHouse's UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, ACCESS_DENIED, AUTHENTICATION_FAILED. */
const AUTHENTICATION_CODES = ['192', '193', '194', '497', '516'];

interface StoreSource {
  readonly address: ClickHouseAddress;
  readonly description: string;
  /** Ends the engine, where it is ours. */
  stop(): Promise<void>;
}

/**
 * Opens the store that the settings name.
 *
 * @throws UserError ENGINE_MISSING or DATA_DIRECTORY_LOCKED
 * @throws UpstreamError when it does not answer within 30 seconds or refuses the schema
 */
export async function openStore(config: Config, options: OpenStoreOptions): Promise<StoreHandle> {
  const { log } = options;
  const { address, description, stop } = await openSource(config, options);
  const store = createStore({ ...address, database: DATABASE, log });
  let use: StoreHeartbeat | undefined;
  const close = async (): Promise<void> => {
    if (use)
      await waitUntilDeadline(use.close(), { what: 'use of the store', withinMs: PING_TIMEOUT_MS, log });
    await store.close();
    await stop();
  };
  try {
    await prepareSchema(store, { config, log });
    if (config.clickhouseUrl !== undefined) {
      use = await startHeartbeat(store, { host: hostname(), pid: process.pid, clock: SYSTEM_CLOCK, log });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { store, description, close, isReachable: () => respondsInTime(store) };
}

/** The store that the settings name, with an empty database or the one that is there, and no schema made or changed. */
export async function openUnmigratedStore(
  config: Config,
  log: Logger,
): Promise<{ readonly store: Store; close(): Promise<void> }> {
  const { address, stop } = await openSource(config, { log });
  const store = createStore({ ...address, database: DATABASE, log });
  const close = async (): Promise<void> => {
    await store.close();
    await stop();
  };
  try {
    await store.createDatabase();
  } catch (error) {
    await close();
    throw error;
  }
  return { store, close };
}

async function openSource(config: Config, { log, onEngineRestart }: OpenStoreOptions): Promise<StoreSource> {
  const address = toClickHouseAddress(config);
  if (address) return { address, description: `ClickHouse at ${address.url}`, stop: async () => undefined };
  const engine = await startEngine({ dataDirectory: config.dataDirectory, log });
  engine.onRestart(() => {
    log.warn({ pid: engine.pid() }, 'engine was restarted');
    onEngineRestart?.();
  });
  return { address: engine, description: `embedded, in ${config.dataDirectory}`, stop: () => engine.stop() };
}

async function prepareSchema(
  store: Store,
  { config, log }: { readonly config: Config; readonly log: Logger },
): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; await delay(RETRY_INTERVAL_MS)) {
    try {
      const applied = await migrate(store);
      if (applied > 0) log.info({ applied }, 'schema was brought up to date');
      const { retentionDays, rollupRetentionDays, payloadRetentionDays } = config;
      await applyRetention(store, {
        rawDays: retentionDays,
        rollupDays: rollupRetentionDays,
        payloadDays: payloadRetentionDays,
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
  const timeout = new AbortController();
  const isReachable = await Promise.race([
    store.ping().catch(() => false),
    delay(PING_TIMEOUT_MS, false, { ref: false, signal: timeout.signal }),
  ]);
  timeout.abort();
  return isReachable;
}
