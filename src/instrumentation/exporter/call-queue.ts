// The queue of calls: first redacted, then as encoded spans. Bounded in calls and bytes. When it is full, the
// oldest call is dropped, and the loss is reported on the next encoded span.

import {
  type ExportedCall,
  type ServerStart,
  toServerStartSpan,
  toSpan,
} from '../../core/dialects/toolscope-span.ts';
import { type EncodedSpan, encodeSpanJson } from '../../core/otlp/encode-json.ts';
import type { Attributes } from '../../core/otlp/span.ts';

/** A call or a server start; its own `droppedCalls` are reported together with the queue's. */
export type ExportItem = ExportedCall | ServerStart;

/** An encoded call with the losses that it reports; if it is dropped, they are counted again. */
export interface EncodedCall extends EncodedSpan {
  readonly droppedCalls: number;
}

export interface CallQueue {
  /** Adds a call. O(1). */
  push(item: ExportItem): void;
  /** Encodes the oldest unencoded call. */
  encodeOne(): void;
  /**
   * Removes and returns the oldest encoded spans: at most `maxSpans`, and at most `maxBytes` bytes unless a
   * single one is longer.
   */
  take(maxSpans: number, maxBytes: number): EncodedCall[];
  /** Counts calls as lost; the next encoded span reports them. */
  drop(spans: readonly EncodedCall[]): void;
  /** Counts calls that were lost elsewhere. */
  countLost(calls: number): void;
  /** The encoded spans, oldest first. */
  waiting(): readonly EncodedCall[];
  /** Removes these encoded spans, regardless of position. */
  remove(spans: ReadonlySet<EncodedCall>): void;
  readonly unencoded: number;
  readonly encoded: number;
  readonly encodedBytes: number;
  /** Calls lost since the start. */
  readonly dropped: number;
}

export interface CallQueueOptions {
  readonly maxCalls: number;
  /** Bytes of encoded JSON, plus an estimate for unencoded calls. */
  readonly maxBytes: number;
  /** Resource attributes; attributes of a span's own resource take precedence. */
  readonly resource: Attributes;
  /** Whether an encoded span that exceeds the capacity is on disk, and so is not lost. */
  readonly isSpooled?: (span: EncodedCall) => boolean;
}

export function createCallQueue({
  maxCalls,
  maxBytes,
  resource,
  isSpooled = () => false,
}: CallQueueOptions): CallQueue {
  const unencoded = new Fifo<ExportItem>();
  const encoded = new Fifo<EncodedCall>();
  let encodedBytes = 0;
  let unencodedBytes = 0;
  let dropped = 0;
  let unreported = 0;

  function shiftEncoded(): EncodedCall | undefined {
    const span = encoded.shift();
    if (span !== undefined) encodedBytes -= span.bytes.length;
    return span;
  }
  function shiftUnencoded(): ExportItem | undefined {
    const item = unencoded.shift();
    if (item !== undefined) unencodedBytes -= estimateBytes(item);
    return item;
  }
  function countLost(lost: { readonly droppedCalls?: number } | undefined): void {
    dropped += 1;
    unreported += 1 + (lost?.droppedCalls ?? 0);
  }
  function evictOldest(): void {
    const isOver = () => encodedBytes + unencodedBytes > maxBytes && unencoded.size + encoded.size > 1;
    while (unencoded.size + encoded.size > maxCalls || isOver()) {
      const span = shiftEncoded();
      if (span === undefined) countLost(shiftUnencoded());
      else if (!isSpooled(span)) countLost(span);
    }
  }

  return {
    push(item) {
      unencoded.push(item);
      unencodedBytes += estimateBytes(item);
      evictOldest();
    },
    encodeOne() {
      const item = shiftUnencoded();
      if (item === undefined) return;
      const droppedCalls = unreported + (item.droppedCalls ?? 0);
      try {
        const call = encodeCall(item, { droppedCalls, resource });
        unreported = 0;
        encoded.push(call);
        encodedBytes += call.bytes.length;
        evictOldest();
      } catch {
        // A call that cannot be encoded is counted as lost; the host must not see the error.
        countLost(item);
      }
    },
    take(maxSpans, maxTakenBytes) {
      const taken: EncodedCall[] = [];
      let sum = 0;
      for (let next = encoded.peek(); next !== undefined && taken.length < maxSpans; next = encoded.peek()) {
        sum += next.bytes.length;
        if (sum > maxTakenBytes && taken.length > 0) break;
        taken.push(next);
        shiftEncoded();
      }
      return taken;
    },
    drop(spans) {
      for (const span of spans) countLost(span);
    },
    countLost(calls) {
      dropped += calls;
      unreported += calls;
    },
    waiting: () => encoded.list(),
    remove(spans) {
      for (let left = encoded.size; left > 0; left -= 1) {
        const span = shiftEncoded();
        if (span === undefined || spans.has(span)) continue;
        encoded.push(span);
        encodedBytes += span.bytes.length;
      }
    },
    get unencoded() {
      return unencoded.size;
    },
    get encoded() {
      return encoded.size;
    },
    get encodedBytes() {
      return encodedBytes;
    },
    get dropped() {
      return dropped;
    },
  };
}

/**
 * Estimated size in bytes of a call without payload (most strings are shared with other calls), or of a
 * server start (its catalogue belongs to the server).
 */
const BYTES_WITHOUT_PAYLOAD = 700;

function estimateBytes(item: ExportItem): number {
  const payload = 'call' in item ? item.payload : undefined;
  return (
    BYTES_WITHOUT_PAYLOAD + (payload === undefined ? 0 : payload.arguments.length + payload.result.length)
  );
}

function encodeCall(
  item: ExportItem,
  extra: { readonly droppedCalls: number; readonly resource: Attributes },
): EncodedCall {
  const { droppedCalls } = extra;
  const span =
    'call' in item ? toSpan({ ...item, droppedCalls }) : toServerStartSpan({ ...item, droppedCalls });
  return { ...encodeSpanJson({ ...span, resource: { ...extra.resource, ...span.resource } }), droppedCalls };
}

/** A queue that removes from the front without moving the remaining items each time. */
class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  list(): T[] {
    return this.#items.slice(this.#head).filter((item) => item !== undefined);
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    // Releases the removed item, which may hold a call's result.
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > 512 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
