// What is reported of the traffic between a client and its server.

import type { Instant } from '../../core/observer/observed-call.ts';

export type TrafficSource = 'client' | 'server';

/** A part of one direction; parts arrive in order. */
export type TrafficPart = { readonly from: TrafficSource } & (
  | { readonly kind: 'bytes'; readonly at: Instant; readonly bytes: Uint8Array; readonly isHeld: boolean }
  /** This many bytes were forwarded without a copy, because the capacity was exhausted. */
  | { readonly kind: 'gap'; readonly at: Instant; readonly length: number }
  /** This many bytes in the middle of a line were left out, because its ends say what it is. */
  | { readonly kind: 'skipped'; readonly length: number }
  | { readonly kind: 'end' }
);
