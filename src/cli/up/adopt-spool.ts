// Adopts spooled calls that servers of this user could not send before they ended. Otherwise the last calls
// of a short-lived server would wait until the next one starts.

import { CallExporter } from '../../instrumentation/exporter/call-exporter.ts';
import type { Environment } from '../../instrumentation/wrapper/environment.ts';

/** Interval of the search (ms); spooled calls appear after one or two intervals. */
const ADOPT_EVERY_MS = 1_000;

export interface AdoptSpoolOptions {
  readonly environment: Pick<Environment, 'spool'>;
  readonly url: string;
  readonly token: string | undefined;
}

/**
 * Sends calls from the spool that are addressed to a service on this machine, through the normal endpoint.
 * @returns a function that stops it; never rejects
 */
export function adoptSpool({ environment, url, token }: AdoptSpoolOptions): () => Promise<void> {
  if (environment.spool === undefined) return async () => {};
  const exporter = new CallExporter({
    endpoint: new URL('v1/traces', `${url}/`).href,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    spool: environment.spool,
    adoptEveryMs: ADOPT_EVERY_MS,
  });
  return () => exporter.shutdown({ timeoutMs: 0 });
}
