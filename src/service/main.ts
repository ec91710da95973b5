// The composition root: builds the modules, connects their ports, listens, drains, closes. It listens before
// the store is open, so that a probe reads "starting" instead of a refused connection.

import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { UpstreamError } from '../errors.ts';
import type { Clock } from '../segment-log/clock.ts';
import { createApi } from './api/api.ts';
import { EventStream } from './api/event-stream.ts';
import type { ServicePhase } from './api/health.ts';
import { openServiceModules, type ServiceModules } from './composition/compose.ts';
import { readPackageVersion } from './config/package-version.ts';
import { assertIngestTokenDiffers, assertPublicBindHasToken } from './config/public-bind.ts';
import type { Config } from './config/settings.ts';
import { removeControlFile, writeControlFile } from './data-directory/control-file.ts';
import { prepareDataDirectory } from './data-directory/prepare-data-directory.ts';
import { drain } from './http/drain.ts';
import { listen } from './http/listen.ts';

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
const DASHBOARD_DIRECTORY = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));
const REQUEST_DRAIN_MS = 5_000;

/** The state that the API reads while the modules are opening. */
interface ServiceState {
  /** What the command line shows to change what is kept. */
  readonly controlKey: string;
  phase: ServicePhase;
  modules: ServiceModules | undefined;
}

/**
 * Starts the service and resolves when it is ready for spans and questions.
 *
 * @throws UserError PUBLIC_BIND_REFUSED, PORT_IN_USE, INVALID_SETTING, ENGINE_MISSING or DATA_DIRECTORY_LOCKED
 * @throws UpstreamError when the store does not answer or refuses the schema
 */
export async function startService(config: Config, { log, adviceClock }: ServiceOptions): Promise<Service> {
  assertPublicBindHasToken(config);
  assertIngestTokenDiffers(config);
  prepareDataDirectory(config.dataDirectory);
  const controlKey = randomBytes(24).toString('base64url');
  const state: ServiceState = { controlKey, phase: 'starting', modules: undefined };
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const stream = new EventStream({ now: Date.now });
  const { server, port } = await listen(buildApi(config, { state, metrics, stream, log }), {
    host: config.host,
    port: config.port,
  });
  const { dataDirectory } = config;
  const close = createClose({ state, stream, server, dataDirectory, log });
  const url = `http://${toUrlHost(config.host)}:${port}`;
  try {
    state.modules = await openServiceModules(config, {
      log,
      registry: metrics,
      isDetectionEnabled: true,
      onStored: (calls) => stream.publishCalls(calls),
      onLoops: () => stream.publishLoops(),
      onAlerts: () => stream.publishAlerts(),
      url,
      ...(adviceClock && { adviceClock }),
    });
  } catch (error) {
    await close();
    throw error;
  }
  writeControlFile(dataDirectory, { url, key: controlKey });
  state.phase = 'ready';
  log.info({ url, store: state.modules.description }, 'service is ready');
  return { url, port, store: state.modules.description, close };
}

interface ServiceParts {
  readonly state: ServiceState;
  readonly stream: EventStream;
  readonly log: Logger;
}

function buildApi(
  config: Config,
  { state, metrics, stream, log }: ServiceParts & { readonly metrics: Registry },
) {
  const getModules = (): ServiceModules => {
    if (state.modules) return state.modules;
    throw new UpstreamError('NOT_READY', 'The service is starting. Try again in a moment.', {
      retryable: true,
    });
  };
  return createApi({
    handlers: () => getModules().handlers,
    controlKey: state.controlKey,
    receiver: (req, res, next) => (state.modules ? state.modules.receiver(req, res, next) : next()),
    stream,
    phase: () => state.phase,
    isStoreReachable: () => getModules().isStoreReachable(),
    isDiskLow: () => getModules().isDiskLow(),
    metrics,
    dashboardDirectory: DASHBOARD_DIRECTORY,
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
}: ServiceParts & { readonly server: Server; readonly dataDirectory: string }): () => Promise<void> {
  const closeOnce = async (): Promise<void> => {
    state.phase = 'draining';
    stream.close();
    await drain(server, REQUEST_DRAIN_MS);
    // Before the modules are open, the directory and its control file may belong to another service.
    if (state.modules) removeControlFile(dataDirectory);
    await state.modules?.close();
    log.info('service has ended');
  };
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= closeOnce();
    return closing;
  };
}

/** Every address of the machine includes loopback, which is what a person here types. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return isIPv6(host) ? `[${host}]` : host;
}
