// `observe(server)`: the whole of the wrapper for whoever uses it. It returns the very object it was given, patched in
// place; it never throws, whatever it is given.

import { readEnvironment } from './environment.ts';
import { neverThrow } from './never-throw.ts';
import type { ObserveOptions } from './observe-options.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import type { ObservableServer } from './sdk-shapes.ts';

let sharedRuntime: Runtime | 'disabled' | undefined;

function getRuntime(): Runtime | undefined {
  if (sharedRuntime === undefined) {
    const environment = readEnvironment();
    sharedRuntime = environment.disabled ? 'disabled' : createRuntime(environment);
  }
  return sharedRuntime === 'disabled' ? undefined : sharedRuntime;
}

/**
 * Observes an MCP server: every request it answers or sends becomes a call that Toolscope shows.
 *
 * Call it before or after tools are registered, before or after `connect`, and inside the factories of SDK v2; calling
 * it twice does nothing. Requests, results, errors and what handlers are given stay as they are. Without a service at
 * the endpoint, calls wait on disk, the oldest giving way. `OTEL_SDK_DISABLED=true` makes it do nothing.
 *
 * @param server a `McpServer` or `Server` of `@modelcontextprotocol/sdk` 1.20 and later or `@modelcontextprotocol/server` 2.
 * @returns the same object.
 */
export function observe<Server extends ObservableServer>(
  server: Server,
  options: ObserveOptions = {},
): Server {
  neverThrow(() => getRuntime()?.observe(server, options));
  return server;
}

/** Sends what waits, for whoever is about to leave. Resolves when it is sent or cannot be, within 2 s; never rejects. */
export async function flush(): Promise<void> {
  await neverThrow(() => getExistingRuntime()?.flush());
}

/** Sends what waits and stops delivering; observed servers go on as if they were not. Never rejects. */
export async function shutdown(): Promise<void> {
  await neverThrow(() => getExistingRuntime()?.shutdown());
}

function getExistingRuntime(): Runtime | undefined {
  return sharedRuntime === 'disabled' ? undefined : sharedRuntime;
}
