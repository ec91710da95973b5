// The last complete catalogue per server, kept across connections: stateless servers answer `tools/list` on
// one connection and `tools/call` on the next.

import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import type { Implementation } from './observed-call.ts';

/** Bounds memory: a process serves few servers, but their names come from the wire. */
const MAX_SERVERS = 256;

export interface ServerCatalogueEntry {
  snapshot: CatalogueSnapshot | undefined;
}

export interface ServerCatalogues {
  /** The entry of a server, created on first use. */
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
