// What is remembered of a server beyond one connection: the last complete catalogue. Stateless servers answer
// `tools/list` on one connection and `tools/call` on the next.

import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import type { Implementation } from './observed-call.ts';

/** A process serves a handful of servers; names that come off a wire must not grow us. */
const MAX_SERVERS = 256;

export interface ServerCatalogueEntry {
  snapshot: CatalogueSnapshot | undefined;
}

export interface ServerCatalogues {
  /** The one entry of a server, made when first asked for. */
  of(server: Implementation): ServerCatalogueEntry;
}

export function createServerCatalogues(): ServerCatalogues {
  const entries = new Map<string, ServerCatalogueEntry>();
  return {
    of(server) {
      const key = `${server.name}\n${server.version}`;
      const known = entries.get(key);
      if (known !== undefined) return known;
      const entry: ServerCatalogueEntry = { snapshot: undefined };
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > MAX_SERVERS && oldest !== undefined) entries.delete(oldest);
      return entry;
    },
  };
}
