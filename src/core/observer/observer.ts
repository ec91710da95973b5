// The state machine between a client and a server: JSON-RPC messages of both directions in, calls out. Pure: moments,
// ids and facts about the transport are arguments. It keeps references and does no work on values, so that a message
// costs the host microseconds; everything else happens in `reduceCall`, later.

import type { TransportKind } from '../model/tool-call.ts';
import type { Sighting } from './catalogue-sighting.ts';
import { createCatalogueWatch } from './catalogue-watch.ts';
import { Connection, type MessageInfo, type SentInfo } from './connection.ts';
import { createListingLedger } from './listing-ledger.ts';
import type { CallStart, Instant, ObservedCall, OpenCall, Party, SpanIds } from './observed-call.ts';
import { createServerMemory } from './server-memory.ts';

const AN_HOUR_MS = 3_600_000;

/** Requests open at once in one process; beyond that the oldest is given up. */
const MOST_OPEN_CALLS = 10_000;

export interface ObserverOptions<Ids extends SpanIds> {
  /** Called when a call was opened; MUST NOT throw. */
  readonly opened?: (call: OpenCall<Ids>) => void;
  /** Called when a call ended; MUST NOT throw and must not work on it while the host waits. */
  readonly ended: (call: ObservedCall<Ids>) => void;
  /** A request unanswered for so long (milliseconds) has expired: some are answered by another way, some never. */
  readonly maximumAgeMs?: number;
}

/** What is known of a connection before its first message. */
export interface ConnectionFacts<Ids extends SpanIds> {
  /** Called when a request starts; MUST NOT throw. May return more than ids: it comes back on every OpenCall. */
  readonly identify: (start: CallStart<Ids>) => Ids;
  readonly transport: TransportKind;
  /** Unique a connection; becomes a session only where a connection is one conversation. */
  readonly connectionId: string;
  readonly environment: string;
  /** The server's own name and version, or empty ones: then the wire tells. */
  readonly server: Party;
  /** What the host wants the server to be called instead; ''. */
  readonly serverName?: string;
}

export interface ObservedConnection<Ids extends SpanIds> {
  /**
   * A message from the client, or a batch of them.
   *
   * @returns the call that it opened, so that it can be made active while it is handled; undefined for a batch.
   */
  received(message: unknown, at: Instant, info?: MessageInfo): OpenCall<Ids> | undefined;
  /** A message to the client, or a batch of them. */
  sent(message: unknown, at: Instant, info?: SentInfo<Ids>): void;
  /** The connection is gone: whatever is open ends with it. */
  closed(at: Instant): void;
  /** The open call the client made under that id. */
  find(id: string | number): OpenCall<Ids> | undefined;
  /** The last catalogue that is known of the server. */
  catalogue(): Sighting | undefined;
}

export interface Observer<Ids extends SpanIds> {
  connect(facts: ConnectionFacts<Ids>): ObservedConnection<Ids>;
  /** Remembers a catalogue that was read rather than listed, for calls that come before the first listing. */
  learn(server: Party, sighting: Sighting): void;
  /** Gives up what has been open for too long. Costs nothing when nothing has; call it now and then. */
  expire(at: Instant): void;
  /** Ends everything that is open, as if every connection had closed. */
  closeAll(at: Instant): void;
  readonly openCalls: number;
}

/** Creates an observer; it lives as long as the process and remembers catalogues across connections. */
export function createObserver<Ids extends SpanIds>(options: ObserverOptions<Ids>): Observer<Ids> {
  const maximumAgeMs = options.maximumAgeMs ?? AN_HOUR_MS;
  const open = new Map<OpenCall<Ids>, Connection<Ids>>();
  const shared = {
    catalogues: createCatalogueWatch(),
    listings: createListingLedger(),
    servers: createServerMemory(),
    opened(call: OpenCall<Ids>, connection: Connection<Ids>) {
      open.set(call, connection);
      options.opened?.(call);
      const [oldest] = open.size > MOST_OPEN_CALLS ? open : [];
      if (oldest !== undefined) oldest[1].giveUp(oldest[0], call.startedAt);
    },
    ended(call: ObservedCall<Ids>) {
      open.delete(call.open);
      options.ended(call);
    },
  };
  return {
    connect: (facts) => new Connection(facts, shared),
    learn(server, sighting) {
      shared.servers.of(server).sighting = sighting;
    },
    expire(at) {
      for (const [call, connection] of open) {
        if (at.monotonicMs - call.startedAt.monotonicMs < maximumAgeMs) return;
        connection.giveUp(call, at);
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
