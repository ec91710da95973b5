// Finds the server whose `connect` every way of connecting goes through, and listens to each transport it is given.
// An McpServer delegates to the Server inside it, in both SDKs, so that one is patched and no more.

import { hookTransport, overrideMethod, type TransportListener } from './hook-transport.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction, LowLevelServer, ObservableServer, TransportShape } from './sdk-shapes.ts';

const OBSERVED = Symbol.for('toolscope.observed');

/** The Server inside an McpServer, or the Server itself. */
export function toLowLevelServer(server: ObservableServer): LowLevelServer {
  if ('server' in server && typeof server.server?.setRequestHandler === 'function') return server.server;
  // Not an McpServer, so by the type of `server` a Server.
  return server as LowLevelServer;
}

/** Marks an object as observed; false when it was already. */
export function markObserved(object: object): boolean {
  if (OBSERVED in object) return false;
  Object.defineProperty(object, OBSERVED, { value: true });
  return true;
}

/**
 * Listens to all transports of a server: the one it has, and those it will be connected to.
 *
 * @param createStreamListener makes the listener of one transport.
 */
export function hookServer(
  server: LowLevelServer & { readonly transport?: unknown },
  createListener: (transport: TransportShape) => TransportListener,
): void {
  // Its parameter is typed `never` only so that every SDK's signature fits; a transport is what it is called with.
  const connect = server.connect as unknown as AnyFunction;
  overrideMethod(server, 'connect', function connectObserved(...parameters) {
    neverThrow(() => listen(parameters[0], false));
    return Reflect.apply(connect, this, parameters);
  });
  listen(server.transport, true);

  function listen(transport: unknown, connected: boolean): void {
    if (isTransport(transport)) hookTransport(transport, () => createListener(transport), connected);
  }
}

function isTransport(value: unknown): value is TransportShape {
  return (
    typeof value === 'object' &&
    value !== null &&
    'start' in value &&
    typeof value.start === 'function' &&
    'send' in value &&
    typeof value.send === 'function'
  );
}
