// Says that a server started, and what it offers: once per process, server, version and catalogue, and hourly. Not per
// connection: stateless factories connect a thousand times.

import { randomBytes } from 'node:crypto';
import type { ServerStart } from '../../core/dialects/toolscope.ts';
import type { Sighting } from '../../core/observer/catalogue-sighting.ts';
import { createListingLedger } from '../../core/observer/listing-ledger.ts';
import type { Instant, Party } from '../../core/observer/observed-call.ts';
import type { ToolRegistry } from './tool-registry.ts';

const HOUR_MS = 3_600_000;
/** Names of servers are the host's, but a host may make them up per tenant. */
const MOST_SERVERS = 256;

export interface StartedServer {
  readonly server: Party;
  readonly environment: string;
  readonly registry: ToolRegistry | undefined;
  /** Takes the announcement, and the catalogue it came with. */
  readonly announce: (start: ServerStart, sighting: Sighting | undefined) => void;
}

export interface ServerStarts {
  /** A server was connected. Costs a look at a table unless there is something new to say. */
  connected(started: StartedServer, at: Instant): void;
}

export function createServerStarts(): ServerStarts {
  const ledger = createListingLedger();
  const looked = new Map<string, { readonly signature: string; readonly atMs: number }>();

  async function look(
    { server, environment, registry, announce }: StartedServer,
    at: Instant,
  ): Promise<void> {
    const sighting = await registry?.read();
    const catalogue = sighting?.catalogue();
    const key = { serverName: server.name, serverVersion: server.version, origin: 'start' } as const;
    if (!ledger.take({ ...key, hash: catalogue?.hash ?? '' }, at.wallUs)) return;
    announce(
      {
        traceId: randomBytes(16).toString('hex'),
        spanId: randomBytes(8).toString('hex'),
        serverName: server.name,
        serverVersion: server.version,
        environment,
        atUs: at.wallUs,
        ...(catalogue && { catalogue }),
      },
      sighting,
    );
  }

  return {
    connected(started, at) {
      const signature = started.registry?.signature() ?? '';
      const key = `${started.server.name}\n${started.server.version}`;
      const last = looked.get(key);
      if (last?.signature === signature && at.monotonicMs - last.atMs < HOUR_MS) return;
      if (looked.size >= MOST_SERVERS) looked.clear();
      looked.set(key, { signature, atMs: at.monotonicMs });
      setImmediate(() => {
        look(started, at).catch(() => {
          // A catalogue that cannot be read is unknown; the first listing will tell.
        });
      });
    },
  };
}
