// The runtimes of this process. `toolscope` and `@toolscope/observe`, as an ES module and as CommonJS, may all be loaded in one process;
// each has a runtime of its own. A server is observed by the first of them (see `markObserved`), and `flush` of any of them has to
// reach it, so they find each other by a registered symbol.

/** The members that copies of other versions call: they must not change. */
export interface RegisteredRuntime {
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

const RUNTIMES = Symbol.for('toolscope.runtimes');

/** Adds a runtime, for as long as the process runs. */
export function registerRuntime(runtime: RegisteredRuntime): void {
  const known = listRuntimes();
  Object.defineProperty(globalThis, RUNTIMES, { value: [...known, runtime], configurable: true });
}

/** The runtimes of all copies of this code that observe a server. */
export function listRuntimes(): readonly RegisteredRuntime[] {
  const known: unknown = Reflect.get(globalThis, RUNTIMES);
  // Only `registerRuntime` of one of the copies sets it.
  return Array.isArray(known) ? (known as readonly RegisteredRuntime[]) : [];
}
