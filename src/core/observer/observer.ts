// The state machine between a client and a server: JSON-RPC messages of both directions in, calls out. Pure: moments,
// ids and facts about the transport are arguments. It keeps references and does no work on values, so that a message
// costs the host microseconds; everything else happens in `redactCall`, later.

import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import { Connection } from './connection.ts';
import { createListingAssembler } from './listing-assembler.ts';
import { createListingThrottle } from './listing-throttle.ts';
import type { Implementation, Instant, ObservedCall, OpenCall, SpanIds } from './observed-call.ts';
import type { ConnectionFacts, ObservedConnection } from './observed-connection.ts';
import { createServerCatalogues } from './server-catalogues.ts';

const HOUR_MS = 3_600_000;

/** Requests open at once in one process; beyond that the oldest is given up. */
const MAX_OPEN_CALLS = 10_000;

export interface ObserverOptions<Ids extends SpanIds> {
  /** Called when a call was opened; MUST NOT throw. */
  readonly onOpened?: (call: OpenCall<Ids>) => void;
  /** Called when a call ended; MUST NOT throw and must not work on it while the host waits. */
  readonly onEnded: (call: ObservedCall<Ids>) => void;
  /** A request unanswered for so long (milliseconds) has expired: some are answered by another way, some never. */
  readonly maxAgeMs?: number;
}

export interface Observer<Ids extends SpanIds> {
  connect(facts: ConnectionFacts<Ids>): ObservedConnection<Ids>;
  /** Remembers a catalogue that was read rather than listed, for calls that come before the first listing. */
  rememberCatalogue(server: Implementation, sighting: CatalogueSnapshot): void;
  /** Gives up what has been open for too long. Costs nothing when nothing has; call it now and then. */
  expire(at: Instant): void;
  /** Ends everything that is open, as if every connection had closed. */
  closeAll(at: Instant): void;
  readonly openCalls: number;
}

/** Creates an observer; it lives as long as the process and remembers catalogues across connections. */
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
