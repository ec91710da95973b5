// A call while it is open, and after it ended: still with references to the raw params and result, because nothing is
// worked out while the host waits. Neither type may leave the process; `redactCall` makes what may.

import type { CallEnding } from '../classification/call-ending.ts';
import type { Classification } from '../classification/classify-ending.ts';
import type { Session } from '../model/session.ts';
import type { CallSide, TransportKind } from '../model/tool-call.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import type { RequestId } from './json-rpc.ts';
import type { ListingThrottle } from './listing-throttle.ts';
import type { TraceParent } from './trace-parent.ts';

/** One moment on two clocks: the wall's for when it was, the monotonic one for how long it took. */
export interface Instant {
  /** Microseconds since the epoch. */
  readonly wallUs: number;
  /** Milliseconds with fractions, from any origin that does not move. */
  readonly monotonicMs: number;
}

export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

/** Name and version of an MCP implementation; '' where unknown. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
}

/** What is known when a request starts; enough to name its span. */
export interface CallStart<Ids extends SpanIds = SpanIds> {
  readonly side: CallSide;
  readonly method: string;
  readonly requestId: RequestId;
  readonly params: unknown;
  readonly startedAt: Instant;
  readonly transport: TransportKind;
  /** The client's trace context, from `params._meta`. */
  readonly traceParent: TraceParent | undefined;
  /** On a request the server sent: the call during which it did. */
  readonly parent: OpenCall<Ids> | undefined;
}

/** What the SDK hides from the wire, noted by whoever saw it happen. Written while the call is open. */
export interface CallNotes {
  exception?: NonNullable<CallEnding['exception']>;
  validation?: 'input' | 'output';
  /** What our guard did: it answered instead of the tool, only noted that it would have, or spoke behind the tool's answer. */
  guard?: { readonly verdict: 'blocked' | 'would_block' | 'nudged'; readonly code: string };
}

export interface OpenCall<Ids extends SpanIds = SpanIds> extends Omit<CallStart<Ids>, 'params'> {
  /** Without its arguments once they were let go of. */
  params: unknown;
  readonly ids: Ids;
  readonly session: Session;
  readonly transportSession: string;
  readonly planId: string;
  /** Raw; the reduction hashes it. */
  readonly principal: string;
  readonly client: Implementation;
  /** From the envelope or the header; '' means "what the handshake agreed on". */
  readonly protocolVersion: string;
  /** `modern`: the request brought the 2026-07-28 envelope. */
  readonly era: 'legacy' | 'modern';
  readonly notes: CallNotes;
}

/** What was noted of a call before its values were let go of. */
export interface CallSummary {
  readonly classification: Classification;
  /** Bytes of JSON, estimated; undefined where the arguments are still there. */
  readonly argumentsBytes: number | undefined;
  /** Bytes of JSON, estimated. */
  readonly resultBytes: number;
}

export interface ObservedCall<Ids extends SpanIds = SpanIds> {
  readonly open: OpenCall<Ids>;
  /** Without its result once that was let go of. */
  ending: CallEnding;
  /** Set when its values were let go of, because there was no room for them to wait: see `letGo`. */
  summary: CallSummary | undefined;
  readonly durationUs: number;
  readonly server: Implementation;
  readonly client: Implementation;
  readonly environment: string;
  readonly protocolVersion: string;
  /** The catalogue this call listed, or the last one known when it ended. */
  readonly snapshot: CatalogueSnapshot | undefined;
  readonly listings: ListingThrottle;
}
