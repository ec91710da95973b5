// `toolscope wrap --url`: runs the proxy between clients and an MCP server that is reached over HTTP.

import { UserError } from '../../errors.ts';
import { writeStderr } from '../../instrumentation/exporter/write-stderr.ts';
import { HttpTrafficObserver } from '../../instrumentation/proxy/http/http-traffic-observer.ts';
import { type HttpProxy, startHttpProxy } from '../../instrumentation/proxy/http/run-http-proxy.ts';
import type { ObserverSettings } from '../../instrumentation/proxy/worker-messages.ts';
import type { WrapUrlOptions } from './url-flags.ts';

interface UrlRun {
  readonly options: WrapUrlOptions;
  /** Undefined when nothing is observed. */
  readonly settings: ObserverSettings | undefined;
  /** Time (ms) for sending the last calls, when they cannot be spooled. */
  readonly flushMs: number;
}

/**
 * Runs until SIGINT or SIGTERM.
 * @returns the exit code
 * @throws UserError when the address cannot be listened at
 */
export async function runWrapUrl({ options, settings, flushMs }: UrlRun): Promise<number> {
  const ended = waitForSignal();
  const observer = settings && new HttpTrafficObserver(settings);
  const proxy = await startProxy(options, observer);
  if (!isLoopbackAddress(options.host))
    writeStderr(
      `toolscope: ${options.host} may be reached from other machines, with the rights of each client.\n`,
    );
  writeStderr(`toolscope: ${proxy.url} forwards to ${options.url.href}\n`);
  await ended;
  await proxy.close();
  await observer?.close(flushMs);
  return 0;
}

function isLoopbackAddress(address: string): boolean {
  return ['localhost', '::1'].includes(address) || address.startsWith('127.');
}

async function startProxy(
  { url, host, port, allowedHosts }: WrapUrlOptions,
  observer: HttpTrafficObserver | undefined,
): Promise<HttpProxy> {
  try {
    return await startHttpProxy({ server: url, host, port, allowedHosts, observer });
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    if (isTaken)
      throw new UserError('PORT_IN_USE', `The port ${port} is taken by another process.`, {
        field: 'listen',
        cause,
      });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UserError('INVALID_PARAMETER', `--listen cannot be used: ${reason}.`, {
      field: 'listen',
      cause,
    });
  }
}

/** A second signal ends the process at once, even if calls are unsent. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
