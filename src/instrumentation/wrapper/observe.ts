// `observe(server)`, the public API of the instrumentation. It patches the given object in place, returns it,
// and never throws, whatever its argument.

import { writeStderr } from '../exporter/write-stderr.ts';
import { readEnvironment } from './environment.ts';
import { hookHandler } from './hook-handler.ts';
import { toLowLevelServer } from './hook-server.ts';
import { neverThrow } from './never-throw.ts';
import type { HandlerOptions, ObserveOptions } from './observe-options.ts';
import { createUnhookableReporter, isHookable } from './report-unhookable.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { listRuntimes, registerRuntime } from './runtime-registry.ts';
import type { AnyFunction, ObservableServer } from './sdk-shapes.ts';

const reportUnhookable = createUnhookableReporter(writeStderr);

let sharedRuntime: Runtime | 'disabled' | undefined;

function getRuntime(): Runtime | undefined {
  sharedRuntime ??= openRuntime();
  return sharedRuntime === 'disabled' ? undefined : sharedRuntime;
}

function openRuntime(): Runtime | 'disabled' {
  const environment = readEnvironment();
  if (environment.disabled) return 'disabled';
  const runtime = createRuntime(environment);
  registerRuntime(runtime);
  return runtime;
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
  neverThrow(() => {
    const runtime = getRuntime();
    if (runtime === undefined) return;
    if (isHookable(toLowLevelServer(server))) runtime.observe(server, options);
    else reportUnhookable(server);
  });
  return server;
}

/**
 * Observes a fetch-style handler (`Request` to `Response`) of an MCP server that is itself observed: requests that the handler
 * refuses with an HTTP error before a server object receives them are reported as failed calls. Requests and responses stay
 * unchanged; bodies over 1 MiB are not read.
 * @returns a function to use in its place
 */
export function observeHandler<Handler extends FetchHandler>(
  handler: Handler,
  options: HandlerOptions = {},
): Handler {
  const runtime = neverThrow(getRuntime);
  if (runtime === undefined) return handler;
  // Called with the parameters that its caller gives.
  const called = handler as unknown as AnyFunction;
  const observed = hookHandler(called, (refused) => runtime.reportRefusal(refused, options));
  // It has the parameters and the result of the handler.
  return observed as unknown as Handler;
}

/** A handler of frameworks and runtimes that use the Fetch API; further parameters are passed through. */
export type FetchHandler = (request: Request, ...rest: never[]) => Response | Promise<Response>;

/** Sends queued calls before the process exits. Resolves within 2 s; never rejects. */
export async function flush(): Promise<void> {
  await neverThrow(() => Promise.all(listRuntimes().map((runtime) => runtime.flush())));
}

/** Sends queued calls and stops exporting; observed servers continue unobserved. Never rejects. */
export async function shutdown(): Promise<void> {
  await neverThrow(() => Promise.all(listRuntimes().map((runtime) => runtime.shutdown())));
}
