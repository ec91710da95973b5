// The HTTP request that a handler serves, through all of its awaits: an observed server notes here that the request
// reached it. The copies of this code in one process share it by a registered symbol.

import { AsyncLocalStorage } from 'node:async_hooks';

/** The member that copies of other versions set: it must not change. */
export interface HandlerExchange {
  /** Whether an observed server received a message. */
  isReceived: boolean;
}

const EXCHANGES = Symbol.for('toolscope.handlerExchanges');

function sharedStorage(): AsyncLocalStorage<HandlerExchange> {
  const known: unknown = Reflect.get(globalThis, EXCHANGES);
  if (known instanceof AsyncLocalStorage) return known;
  const storage = new AsyncLocalStorage<HandlerExchange>();
  Object.defineProperty(globalThis, EXCHANGES, { value: storage });
  return storage;
}

/** @param run called exactly once; its result or exception is passed through */
export function runInExchange<T>(exchange: HandlerExchange, run: () => T): T {
  return sharedStorage().run(exchange, run);
}

/** Notes that an observed server received a message of the current request, if a handler is observed. */
export function noteReceived(): void {
  const known: unknown = Reflect.get(globalThis, EXCHANGES);
  const exchange: unknown = known instanceof AsyncLocalStorage ? known.getStore() : undefined;
  // Only `runInExchange` of one of the copies sets it.
  if (exchange !== undefined) (exchange as HandlerExchange).isReceived = true;
}
