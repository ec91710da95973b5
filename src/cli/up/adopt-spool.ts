// Adopts spooled calls that servers of this user could not send before they ended. Otherwise the last calls
// of a short-lived server would wait until the next one starts.

import { createCallExporter } from '../../instrumentation/exporter/call-exporter.ts';
import type { Environment } from '../../instrumentation/wrapper/environment.ts';

/** Interval of the search (ms); spooled calls appear after one or two intervals. */
const ADOPT_EVERY_MS = 1_000;

export interface AdoptSpoolOptions {
  readonly environment: Pick<Environment, 'spool'>;
  /** Base URL of the service, as its servers use it. */
  readonly url: string;
  readonly token: string | undefined;
}

/**
 * Starts to search the spool for calls addressed to a service on this machine, and sends them there through
 * the normal endpoint.
 *
 * @returns a function that stops it; never rejects
 */
export function adoptSpool({ environment, url, token }: AdoptSpoolOptions): () => Promise<void> {
  if (environment.spool === undefined) return async () => {};
  const exporter = createCallExporter({
    endpoint: new URL('v1/traces', `${url}/`).href,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    spool: environment.spool,
    adoptEveryMs: ADOPT_EVERY_MS,
  });
  return () => exporter.shutdown({ timeoutMs: 0 });
}
