// The composition root: builds the rooms, ties their ports together, listens, drains, closes. It listens before the
// store is open, so that a probe learns "starting" rather than a refused connection.

import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { UpstreamError } from '../errors.ts';
import type { Clock } from '../segments/clock.ts';
import { createApi } from './api/api.ts';
import type { Phase } from './api/health.ts';
import { Stream } from './api/stream.ts';
import { assertBindIsPrivate, assertTokensFit } from './config/public-bind.ts';
import type { Config } from './config/settings.ts';
import { removeControl, writeControl } from './control-file.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { drain } from './drain.ts';
import { listen } from './listen.ts';
import { openRooms, type Rooms } from './open-rooms.ts';
import { readPackageVersion } from './package-version.ts';

/** A running service. */
export interface Service {
  /** Base address for people and programs on this machine, without a closing slash. */
  readonly url: string;
  readonly port: number;
  /** For people: where the calls are kept. */
  readonly store: string;
  /**
   * Drains and ends everything within 30 seconds, whatever hangs: requests 5 s, ingest 7 s, follower and alerts 4 s each,
   * engine 8 s. A second call waits for the first.
   */
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly log: Logger;
  /** Of the hourly look for advice; the machine's own where it is left out. */
  readonly adviceClock?: Clock;
}

/** Beside `dist/service`, also when this runs from the sources. */
const DASHBOARD = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));
const REQUEST_DRAIN_MS = 5_000;

/** What the API looks at while the rooms open behind it. */
interface State {
  /** What the command line shows to change what is kept. */
  readonly controlKey: string;
  phase: Phase;
  rooms: Rooms | undefined;
}

/**
 * Starts the service and resolves when it is ready for spans and questions.
 *
 * @throws UserError PUBLIC_BIND_REFUSED, PORT_IN_USE, INVALID_SETTING, ENGINE_MISSING or DATA_DIRECTORY_LOCKED
 * @throws UpstreamError when the store does not answer or refuses the schema
 */
export async function startService(config: Config, { log, adviceClock }: ServiceOptions): Promise<Service> {
  assertBindIsPrivate(config);
  assertTokensFit(config);
  prepareDataDirectory(config.dataDirectory);
  const controlKey = randomBytes(24).toString('base64url');
  const state: State = { controlKey, phase: 'starting', rooms: undefined };
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const stream = new Stream({ now: Date.now });
  const { server, port } = await listen(buildApi(config, { state, metrics, stream, log }), {
    host: config.host,
    port: config.port,
  });
  const { dataDirectory } = config;
  const close = createClose({ state, stream, server, dataDirectory, log });
  const url = `http://${nameForPeople(config.host)}:${port}`;
  try {
    state.rooms = await openRooms(config, {
      log,
      registry: metrics,
      follows: true,
      onStored: (calls) => stream.publish(calls),
      onLoops: () => stream.publishLoops(),
      onAlerts: () => stream.publishAlerts(),
      url,
      ...(adviceClock && { adviceClock }),
    });
  } catch (error) {
    await close();
    throw error;
  }
  writeControl(dataDirectory, { url, key: controlKey });
  state.phase = 'ready';
  log.info({ url, store: state.rooms.description }, 'service is ready');
  return { url, port, store: state.rooms.description, close };
}

interface Parts {
  readonly state: State;
  readonly stream: Stream;
  readonly log: Logger;
}

function buildApi(config: Config, { state, metrics, stream, log }: Parts & { readonly metrics: Registry }) {
  const rooms = (): Rooms => {
    if (state.rooms) return state.rooms;
    throw new UpstreamError('NOT_READY', 'The service is starting. Try again in a moment.', {
      retryable: true,
    });
  };
  return createApi({
    questions: () => rooms().questions,
    alerts: () => rooms().alerts,
    upkeep: () => rooms().upkeep,
    controlKey: state.controlKey,
    receiver: (req, res, next) => (state.rooms ? state.rooms.receiver(req, res, next) : next()),
    stream,
    phase: () => state.phase,
    isStoreReachable: () => rooms().isStoreReachable(),
    isDiskLow: () => rooms().isDiskLow(),
    metrics,
    dashboardDirectory: DASHBOARD,
    token: config.token,
    ingestToken: config.ingestToken,
    allowedHosts: [config.host, ...config.allowedHosts],
    version: readPackageVersion(),
    now: Date.now,
    log,
  });
}

function createClose({
  state,
  stream,
  server,
  dataDirectory,
  log,
}: Parts & { readonly server: Server; readonly dataDirectory: string }): () => Promise<void> {
  const closeOnce = async (): Promise<void> => {
    state.phase = 'draining';
    stream.close();
    await drain(server, REQUEST_DRAIN_MS);
    // Without rooms the directory, and the file in it, may be another service's.
    if (state.rooms) removeControl(dataDirectory);
    await state.rooms?.close();
    log.info('service has ended');
  };
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= closeOnce();
    return closing;
  };
}

/** Every address of the machine includes loopback, which is what a person here types. */
function nameForPeople(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return isIPv6(host) ? `[${host}]` : host;
}
