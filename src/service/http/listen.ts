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

/** Times in milliseconds. */
export interface ConnectionLimits {
  /** From the connection, or the previous response, to the end of a request's header. */
  readonly headersMs: number;
  /** To the end of the body: a batch of 64 MiB over a slow connection takes long, a header does not. */
  readonly requestMs: number;
  readonly idleMs: number;
  readonly connections: number;
  /** Does not apply to loopback. */
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

/** Connections that wait to be accepted; clients beyond it retry after a second. The system may allow fewer. */
const BACKLOG = 4_096;

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits?: ConnectionLimits;
}

/**
 * Binds and serves. A connection that sends nothing in time is closed, and beyond the limit the one that has
 * stalled the longest.
 *
 * @throws UserError PORT_IN_USE, with the process that holds the port if the system tells
 * @throws UserError INVALID_SETTING if the address is not one of this machine, or the port needs privileges
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
    return settingError('port', `Port ${port} needs privileges. Expected a port above 1023.`, error);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return settingError(
      'host',
      `${host} is not an address of this machine. Expected an address of this machine.`,
      error,
    );
  }
  return error;
}

function settingError(field: string, message: string, cause: Error): UserError {
  return new UserError('INVALID_SETTING', `Setting "${field}": ${message}`, { field, cause });
}

function portInUseError(port: number, cause: Error): UserError {
  const holder = findPortHolder(port);
  const by = holder ? `process ${holder.pid} (${holder.command})` : 'another process';
  return new UserError('PORT_IN_USE', `Port ${port} is in use by ${by}. Expected a free port.`, {
    field: 'port',
    hint: 'Stop that process, or choose another port with --port <number>; --port 0 picks a free one.',
    cause,
  });
}
