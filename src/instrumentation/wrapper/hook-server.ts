// Finds the server object whose `connect` method all connections use, and hooks each of its transports. In
// both SDKs an McpServer delegates to an inner Server, so only that one is patched.

import { hookTransport, overrideMethod, type TransportListener } from './hook-transport.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction, LowLevelServer, ObservableServer, TransportShape } from './sdk-shapes.ts';

const OBSERVED = Symbol.for('toolscope.observed');
const LISTEN = Symbol.for('toolscope.listen');

/** Returns the Server inside an McpServer, or the Server itself. */
export function toLowLevelServer(server: ObservableServer): LowLevelServer {
  if ('server' in server && typeof server.server?.setRequestHandler === 'function') return server.server;
  // Not an McpServer, so by the type of `server` a Server.
  return server as LowLevelServer;
}

/** Returns false when it already was observed. */
export function markObserved(object: object): boolean {
  if (OBSERVED in object) return false;
  Object.defineProperty(object, OBSERVED, { value: true });
  return true;
}

/** Whether `markObserved` was called for an object. */
export function isObserved(object: object): boolean {
  return OBSERVED in object;
}

/** Hooks the transport of a `connect` that runs already, on a server that was observed after the call. */
export function hookConnecting(
  server: object & { readonly [LISTEN]?: (transport: unknown) => void },
  transport: unknown,
): void {
  server[LISTEN]?.(transport);
}

/** Hooks all transports of a server: the current one and later ones. */
export function hookServer(
  server: LowLevelServer & { readonly transport?: unknown },
  createListener: (transport: TransportShape) => TransportListener,
): void {
  // Its parameter has type `never` only so that every SDK's signature fits; it is called with a transport.
  const connect = server.connect as unknown as AnyFunction;
  overrideMethod(server, 'connect', function connectObserved(...parameters) {
    neverThrow(() => listen(parameters[0], false));
    return Reflect.apply(connect, this, parameters);
  });
  Object.defineProperty(server, LISTEN, { value: (transport: unknown) => listen(transport, false) });
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
