// Binds the port. A port in use is the most likely failure of a first start, because 4318 is the default of
// every OTLP collector, so the error names the process and the remedy.

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserError } from '../../errors.ts';
import { limitConnections } from './connection-limit.ts';
import { findPortHolder } from './port-holder.ts';

export interface ListeningServer {
  readonly server: Server;
  /** The bound port, also if 0 was requested. */
  readonly port: number;
}

/** How long a connection may keep us waiting, in milliseconds, and how many there may be. */
export interface ConnectionLimits {
  /** From the connection, or the end of the answer before, to the end of the head of a request. */
  readonly headersMs: number;
  /** To the end of its body: a batch of 64 MiB over a slow line takes its time, a head never does. */
  readonly requestMs: number;
  readonly idleMs: number;
  /** Of all addresses together, and of one that is not loopback. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly checkEveryMs: number;
}

const DEFAULT_LIMITS: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 120_000,
  idleMs: 15_000,
  connections: 2_000,
  connectionsPerAddress: 1_000,
  checkEveryMs: 1_000,
};

/** Connections that wait to be accepted; beyond it the system lets them try again a second later. It may allow fewer itself. */
const BACKLOG = 4_096;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits?: ConnectionLimits;
}

/**
 * Binds and serves. A connection that sends nothing in time is closed; beyond the limit, so is whichever made us wait longest.
 *
 * @throws UserError PORT_IN_USE naming the process that holds the port where the system tells
 * @throws UserError INVALID_SETTING when the address is not one of this machine, or the port needs a privilege
 */
export function listen(
  handler: RequestListener,
  { host, port, limits = DEFAULT_LIMITS }: ListenOptions,
): Promise<ListeningServer> {
  const server = createServer(
    {
      requestTimeout: limits.requestMs,
      headersTimeout: limits.headersMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    handler,
  );
  const { connections, connectionsPerAddress } = limits;
  limitConnections(server, { overall: connections, perAddress: connectionsPerAddress });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, { host, port })));
    server.listen({ host, port, backlog: BACKLOG }, () => {
      // A TCP server's address is an object.
      const address = server.address() as AddressInfo;
      resolve({ server, port: address.port });
    });
  });
}

function toListenError(
  error: Error,
  { host, port }: { readonly host: string; readonly port: number },
): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return portInUseError(port, error);
  if (code === 'EACCES')
    return settingError('port', `Port ${port} needs a privilege. Expected one above 1023.`, error);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return settingError('host', `${host} is not an address of this machine. Expected one that is.`, error);
  }
  return error;
}

function settingError(field: string, message: string, cause: Error): UserError {
  return new UserError('INVALID_SETTING', `Setting "${field}": ${message}`, { field, cause });
}

function portInUseError(port: number, cause: Error): UserError {
  const holder = findPortHolder(port);
  const by = holder ? `process ${holder.pid} (${holder.command})` : 'another process';
  return new UserError('PORT_IN_USE', `Port ${port} is taken by ${by}. Expected a free one.`, {
    field: 'port',
    hint: 'End that process, or choose another port with --port <number>; --port 0 takes any free one.',
    cause,
  });
}
