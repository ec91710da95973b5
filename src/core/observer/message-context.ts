// What is known of a message besides its JSON.
import type { Implementation, OpenCall, SpanIds } from './observed-call.ts';

/** What the transport or the host says about one received message. */
export interface ReceivedMessageContext {
  readonly transportSession?: string;
  /** From the header `mcp-protocol-version`. */
  readonly protocolVersion?: string;
  /** Whoever the SDK says is at the other end, when the wire does not. */
  readonly client?: Implementation;
  readonly hostSession?: string;
  readonly hostPlan?: string;
  readonly hostPrincipal?: string;
}

/** What the SDK says about one sent message. */
export interface SentMessageContext<Ids extends SpanIds> {
  readonly relatedRequestId?: unknown;
  readonly transportSession?: string;
  /** The call in whose handler it was sent. */
  readonly parent?: OpenCall<Ids> | undefined;
}
