// Extends `connect` of the SDK's server classes: a server that was not observed before is observed when it connects. There may be
// several copies of the SDK in a process; each is passed to `observeClass` once.

import { hookConnecting, isObserved } from '../wrapper/hook-server.ts';
import { overrideMethod } from '../wrapper/hook-transport.ts';
import { neverThrow } from '../wrapper/never-throw.ts';
import { observe } from '../wrapper/observe.ts';
import type { AnyFunction, ObservableServer } from '../wrapper/sdk-shapes.ts';

/** Names under which the SDK declares its classes, also within its modules. */
export const SERVER_CLASSES = ['Server', 'McpServer'] as const;

const EXTENDED = Symbol.for('toolscope.connect-extended');

/** Observes all servers of a class from their next `connect` on. Anything but a class with `connect` is ignored. */
export function observeClass(serverClass: unknown): void {
  if (typeof serverClass !== 'function') return;
  const prototype: unknown = serverClass.prototype;
  if (typeof prototype !== 'object' || prototype === null || Object.hasOwn(prototype, EXTENDED)) return;
  const connect: unknown = Reflect.get(prototype, 'connect');
  if (typeof connect !== 'function') return;
  Object.defineProperty(prototype, EXTENDED, { value: true });
  extendConnect(prototype, connect as AnyFunction); // any function can be applied to any arguments
}

/** Each option is one of the environment; a server that was observed before keeps its own. */
function extendConnect(prototype: object, connect: AnyFunction): void {
  overrideMethod(prototype, 'connect', function connectObserved(...parameters) {
    neverThrow(() => observeConnecting(this, parameters[0]));
    return Reflect.apply(connect, this, parameters);
  });
}

function observeConnecting(server: unknown, transport: unknown): void {
  if (typeof server !== 'object' || server === null || isObserved(server)) return;
  // `connect` of an SDK's server class was called on it.
  observe(server as ObservableServer);
  // This call of `connect` has passed the place where `observe` hooks it.
  hookConnecting(server, transport);
}
