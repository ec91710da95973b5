// The facts a connection is created with, and its interface to the transport.
import type { TransportKind } from '../model/tool-call.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import type {
  CallStart,
  Instant,
  OpenCall,
  ReceivedMessageContext,
  SentMessageContext,
  SpanIds,
} from './observed-call.ts';
import type { Implementation } from './request-facts.ts';

/** What is known about a connection before its first message. */
export interface ConnectionFacts<Ids extends SpanIds> {
  /**
   * Called when a request starts. MUST NOT throw. May return more than ids: the result is part of every
   * OpenCall.
   */
  readonly identify: (start: CallStart<Ids>) => Ids;
  readonly transport: TransportKind;
  /** Unique per connection; a session id only if the connection is one conversation. */
  readonly connectionId: string;
  readonly environment: string;
  /** The server's own name and version; if empty, they are read from the wire. */
  readonly server: Implementation;
  /** Server name configured by the host; '' if none. */
  readonly serverName?: string;
  /** Returns what other connections have learned about the server, for when the wire does not name it here. */
  readonly knownServer?: () => Implementation;
  /** Shared by connections over which the pages of one listing may come. */
  readonly listingScope?: object;
}

export interface ObservedConnection<Ids extends SpanIds> {
  /**
   * Takes a message from the client, or a batch.
   *
   * @returns the call that it opened, so that the caller can make it active while handling it; undefined for
   *   a batch.
   */
  received(message: unknown, at: Instant, info?: ReceivedMessageContext): OpenCall<Ids> | undefined;
  /** Takes a message to the client, or a batch. */
  sent(message: unknown, at: Instant, info?: SentMessageContext<Ids>): void;
  /** The connection has closed; all its open calls end. */
  closed(at: Instant): void;
  /** The open call with that request id from the client. */
  find(id: string | number): OpenCall<Ids> | undefined;
  /** The last known catalogue of the server. */
  catalogue(): CatalogueSnapshot | undefined;
}
