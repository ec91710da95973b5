// What is known about a message besides its JSON.
import type { Implementation, OpenCall, SpanIds } from './observed-call.ts';

/** What the transport or the host knows about one received message. */
export interface ReceivedMessageContext {
  readonly transportSession?: string;
  /** From the header `mcp-protocol-version`. */
  readonly protocolVersion?: string;
  /** The client according to the SDK, for when the wire does not name it. */
  readonly client?: Implementation;
  readonly hostSession?: string;
  readonly hostPlan?: string;
  readonly hostPrincipal?: string;
}

/** What the SDK knows about one sent message. */
export interface SentMessageContext<Ids extends SpanIds> {
  readonly relatedRequestId?: unknown;
  readonly transportSession?: string;
  /** The call whose handler sent the message. */
  readonly parent?: OpenCall<Ids> | undefined;
}
