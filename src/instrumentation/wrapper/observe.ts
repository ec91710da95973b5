// `observe(server)`, the public API of the instrumentation. It patches the given object in place, returns it,
// and never throws, whatever its argument.

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
 * Observes an MCP server: Toolscope records every request that the server answers or sends. Can be called
 * before
 * or after tools are registered, before or after `connect`, and inside the factories of SDK v2. Requests,
 * results, errors and handler arguments stay unchanged. While no service responds, calls are spooled on disk,
 * and
 * the oldest are dropped first. `OTEL_SDK_DISABLED=true` disables it.
 * @param server a `McpServer` or `Server` of `@modelcontextprotocol/sdk` 1.20 or later, or of
 * `@modelcontextprotocol/server` 2
 * @returns the same object
 */
export function observe<Server extends ObservableServer>(
  server: Server,
  options: ObserveOptions = {},
): Server {
  neverThrow(() => getRuntime()?.observe(server, options));
  return server;
}

/** Sends queued calls before the process exits. Resolves within 2 s; never rejects. */
export async function flush(): Promise<void> {
  await neverThrow(() => getExistingRuntime()?.flush());
}

/** Sends queued calls and stops exporting; observed servers continue unobserved. Never rejects. */
export async function shutdown(): Promise<void> {
  await neverThrow(() => getExistingRuntime()?.shutdown());
}

function getExistingRuntime(): Runtime | undefined {
  return sharedRuntime === 'disabled' ? undefined : sharedRuntime;
}
