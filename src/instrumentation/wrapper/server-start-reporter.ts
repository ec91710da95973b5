// Reports a server start and its catalogue: once per process, server, version and catalogue, and then hourly.
// It does not report per connection, because stateless factories connect thousands of times.

import { randomBytes } from 'node:crypto';
import type { ServerStart } from '../../core/dialects/toolscope-span.ts';
import type { CatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';
import { createListingThrottle } from '../../core/observer/listing-assembler.ts';
import type { Instant } from '../../core/observer/observed-call.ts';
import type { Implementation } from '../../core/observer/request-facts.ts';
import type { ToolRegistry } from './hook-tools.ts';

const HOUR_MS = 3_600_000;
/** Server names come from the host, which may generate one per tenant. */
const MAX_SERVERS = 256;

export interface StartedServer {
  readonly server: Implementation;
  readonly environment: string;
  readonly registry: ToolRegistry | undefined;
  readonly report: (start: ServerStart, sighting: CatalogueSnapshot | undefined) => void;
}

export interface ServerStartReporter {
  /** Called when a server is connected. Costs one table lookup unless there is something new to report. */
  onConnected(started: StartedServer, at: Instant): void;
}

export function createServerStartReporter(): ServerStartReporter {
  const throttle = createListingThrottle();
  const lastChecks = new Map<string, { readonly signature: string; readonly atMs: number }>();

  async function reportIfDue(
    { server, environment, registry, report }: StartedServer,
    at: Instant,
  ): Promise<void> {
    const snapshot = await registry?.read();
    const catalogue = snapshot?.catalogue();
    const key = { serverName: server.name, serverVersion: server.version, origin: 'start' } as const;
    if (!throttle.take({ ...key, hash: catalogue?.hash ?? '' }, at.wallUs)) return;
    report(
      {
        traceId: randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        serverName: server.name,
        serverVersion: server.version,
        environment,
        atUs: at.wallUs,
        ...(catalogue && { catalogue }),
      },
      snapshot,
    );
  }

  return {
    onConnected(started, at) {
      const signature = started.registry?.signature() ?? '';
      const key = `${started.server.name}\n${started.server.version}`;
      const last = lastChecks.get(key);
      if (last?.signature === signature && at.monotonicMs - last.atMs < HOUR_MS) return;
      if (lastChecks.size >= MAX_SERVERS) lastChecks.clear();
      lastChecks.set(key, { signature, atMs: at.monotonicMs });
      setImmediate(() => {
        reportIfDue(started, at).catch(() => {
          // A catalogue that cannot be read stays unknown until the first listing.
        });
      });
    },
  };
}
