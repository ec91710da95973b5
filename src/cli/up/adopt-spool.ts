// Takes in what servers of this user could not deliver before they ended: a short-lived server may be the last for a
// day, and its last calls would wait for the next one.

import { createCallExporter } from '../../instrumentation/exporter/call-exporter.ts';
import type { Environment } from '../../instrumentation/wrapper/environment.ts';

/** Calls that were left show within this time (ms), or twice. */
const ADOPT_EVERY_MS = 1_000;

export interface AdoptSpoolOptions {
  readonly environment: Pick<Environment, 'spool'>;
  /** Base address of the service, as its servers name it. */
  readonly url: string;
  readonly token: string | undefined;
}

/**
 * Starts to look into the spool for what is meant for a service on this machine, and sends it there like anybody else.
 * @returns ends it; never rejects
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
