// What the thread that forwards and the thread that observes say to each other. Bytes are copies: what is forwarded never
// depends on what becomes of them.

import type { GuardOptions } from '../../core/guard/guard-policy.ts';
import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { Instant } from '../../core/observer/observed-call.ts';

export type TrafficSource = 'client' | 'server';

/** What the two threads share besides messages, by place. */
export const SHARED_SLOTS = {
  /** Bytes that were observed so far, modulo 2^32. */
  observedBytes: 0,
  /** 1 when there is no more time: what still waits is only counted. */
  isLate: 1,
} as const;

/** What the observing thread is started with. */
export interface ObserverWorkerData {
  /** What the server shall be called; '' leaves it to the server. */
  readonly name: string;
  readonly environment: string | undefined;
  readonly capture: CaptureMode | undefined;
  readonly endpoint: string | undefined;
  readonly guard: GuardOptions | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Two Int32: see `SHARED`. */
  readonly shared: SharedArrayBuffer;
}

/** A piece of one direction, in the order in which it came. */
export type TrafficPart = { readonly from: TrafficSource } & (
  | { readonly kind: 'bytes'; readonly at: Instant; readonly bytes: Uint8Array; readonly isHeld: boolean }
  /** So many bytes were forwarded that there was no room to copy. */
  | { readonly kind: 'gap'; readonly at: Instant; readonly length: number }
  | { readonly kind: 'end' }
);

export type WorkerRequest =
  | { readonly kind: 'parts'; readonly parts: readonly TrafficPart[] }
  /** Calls that are open end, and what waits is kept on disk or sent within `timeoutMs`. */
  | { readonly kind: 'close'; readonly timeoutMs: number };

/** What becomes of the next `length` held bytes of a direction: they pass, or `instead` does. */
export type ForwardDecision =
  | {
      readonly kind: 'bytes';
      readonly from: TrafficSource;
      readonly length: number;
      readonly instead?: Uint8Array;
      /** For the client, in place of the server's answer to the line that does not pass. */
      readonly answer?: Uint8Array;
    }
  /** Whether the server's lines are to be held from now on. */
  | { readonly kind: 'hold'; readonly isHolding: boolean };

export type WorkerReply =
  | { readonly kind: 'rulings'; readonly rulings: readonly ForwardDecision[] }
  /** Lines that were forwarded but not understood. */
  | { readonly kind: 'closed'; readonly unreadLines: number };
