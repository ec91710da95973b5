// What is remembered of a server beyond one connection: the last complete catalogue. Stateless servers answer
// `tools/list` on one connection and `tools/call` on the next.

import type { Sighting } from './catalogue-sighting.ts';
import type { Party } from './observed-call.ts';

/** A process serves a handful of servers; names that come off a wire must not grow us. */
const MOST_SERVERS = 256;

export interface ServerEntry {
  sighting: Sighting | undefined;
}

export interface ServerMemory {
  /** The one entry of a server, made when first asked for. */
  of(server: Party): ServerEntry;
}

export function createServerMemory(): ServerMemory {
  const entries = new Map<string, ServerEntry>();
  return {
    of(server) {
      const key = `${server.name}\n${server.version}`;
      const known = entries.get(key);
      if (known !== undefined) return known;
      const entry: ServerEntry = { sighting: undefined };
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > MOST_SERVERS && oldest !== undefined) entries.delete(oldest);
      return entry;
    },
  };
}
