// The newest catalogue of each server of a process.

import { BoundedMap } from '../values/bounded-map.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import type { Implementation } from './request-facts.ts';

/** Bounds memory: a process serves few servers, but their names come from the wire. */
const MAX_SERVERS = 256;

interface ServerCatalogueEntry {
  snapshot: CatalogueSnapshot | undefined;
}

export interface ServerCatalogues {
  /** The entry of a server, created on first use. */
  of(server: Implementation): ServerCatalogueEntry;
}

export function createServerCatalogues(): ServerCatalogues {
  const entries = new BoundedMap<string, ServerCatalogueEntry>(MAX_SERVERS);
  return {
    of(server) {
      const key = `${server.name}\n${server.version}`;
      const known = entries.get(key);
      if (known !== undefined) return known;
      const entry: ServerCatalogueEntry = { snapshot: undefined };
      entries.set(key, entry);
      return entry;
    },
  };
}
