// What a connection is told once, and what it offers to its transport.
import type { TransportKind } from '../model/tool-call.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import type { ReceivedMessageContext, SentMessageContext } from './message-context.ts';
import type { CallStart, Implementation, Instant, OpenCall, SpanIds } from './observed-call.ts';

/** What is known of a connection before its first message. */
export interface ConnectionFacts<Ids extends SpanIds> {
  /** Called when a request starts; MUST NOT throw. May return more than ids: it comes back on every OpenCall. */
  readonly identify: (start: CallStart<Ids>) => Ids;
  readonly transport: TransportKind;
  /** Unique a connection; becomes a session only where a connection is one conversation. */
  readonly connectionId: string;
  readonly environment: string;
  /** The server's own name and version, or empty ones: then the wire tells. */
  readonly server: Implementation;
  /** What the host wants the server to be called instead; ''. */
  readonly serverName?: string;
}

export interface ObservedConnection<Ids extends SpanIds> {
  /**
   * A message from the client, or a batch of them.
   *
   * @returns the call that it opened, so that it can be made active while it is handled; undefined for a batch.
   */
  received(message: unknown, at: Instant, info?: ReceivedMessageContext): OpenCall<Ids> | undefined;
  /** A message to the client, or a batch of them. */
  sent(message: unknown, at: Instant, info?: SentMessageContext<Ids>): void;
  /** The connection is gone: whatever is open ends with it. */
  closed(at: Instant): void;
  /** The open call the client made under that id. */
  find(id: string | number): OpenCall<Ids> | undefined;
  /** The last catalogue that is known of the server. */
  catalogue(): CatalogueSnapshot | undefined;
}
