// The state machine between a client and a server: takes JSON-RPC messages of both directions and emits
// calls. It is pure: times, ids and facts about the transport are arguments. It keeps references and does no
// work on values, so a message costs the host microseconds; `redactCall` does the rest later.

import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import { Connection } from './connection.ts';
import { createListingAssembler, createListingThrottle } from './listing-assembler.ts';
import type { Instant, ObservedCall, OpenCall, SpanIds } from './observed-call.ts';
import type { ConnectionFacts, ObservedConnection } from './observed-connection.ts';
import type { Implementation } from './request-facts.ts';
import { createServerCatalogues } from './server-catalogues.ts';

const HOUR_MS = 3_600_000;

/** Maximum open requests per process; beyond it the oldest is expired. */
const MAX_OPEN_CALLS = 10_000;

interface ObserverOptions<Ids extends SpanIds> {
  /** Called when a call opens. MUST NOT throw. */
  readonly onOpened?: (call: OpenCall<Ids>) => void;
  /** Called when a call ends. MUST NOT throw, and must not process the call while the host waits. */
  readonly onEnded: (call: ObservedCall<Ids>) => void;
  /**
   * Milliseconds after which a request without a response expires; some are answered by another route, some
   * never.
   */
  readonly maxAgeMs?: number;
}

export interface Observer<Ids extends SpanIds> {
  connect(facts: ConnectionFacts<Ids>): ObservedConnection<Ids>;
  /** Stores a catalogue obtained without a listing, for calls before the first listing. */
  rememberCatalogue(server: Implementation, sighting: CatalogueSnapshot): void;
  /** Expires calls that have been open too long. Cheap if there are none; call it regularly. */
  expire(at: Instant): void;
  /** Ends all open calls, as if every connection had closed. */
  closeAll(at: Instant): void;
  readonly openCalls: number;
}

/** Creates an observer, which lives as long as the process and keeps catalogues across connections. */
export function createObserver<Ids extends SpanIds>(options: ObserverOptions<Ids>): Observer<Ids> {
  const maximumAgeMs = options.maxAgeMs ?? HOUR_MS;
  const open = new Map<OpenCall<Ids>, Connection<Ids>>();
  const shared = {
    catalogues: createListingAssembler(),
    listings: createListingThrottle(),
    servers: createServerCatalogues(),
    opened(call: OpenCall<Ids>, connection: Connection<Ids>) {
      open.set(call, connection);
      options.onOpened?.(call);
      const [oldest] = open.size > MAX_OPEN_CALLS ? open : [];
      if (oldest !== undefined) oldest[1].expireCall(oldest[0], call.startedAt);
    },
    ended(call: ObservedCall<Ids>) {
      open.delete(call.open);
      options.onEnded(call);
    },
  };
  return {
    connect: (facts) => new Connection(facts, shared),
    rememberCatalogue(server, sighting) {
      shared.servers.of(server).snapshot = sighting;
    },
    expire(at) {
      for (const [call, connection] of open) {
        if (at.monotonicMs - call.startedAt.monotonicMs < maximumAgeMs) return;
        connection.expireCall(call, at);
      }
    },
    closeAll(at) {
      for (const connection of new Set(open.values())) connection.closed(at);
    },
    get openCalls() {
      return open.size;
    },
  };
}
