// The calls that wait: first as they were reduced, then as encoded spans. Bounded in calls and in bytes; beyond that the
// oldest goes, and its loss is counted and told on the next span that is encoded.

import {
  type ExportedCall,
  type ServerStart,
  toServerStartSpan,
  toSpan,
} from '../../core/dialects/toolscope-span.ts';
import { type EncodedSpan, encodeSpanJson } from '../../core/otlp/encode-json.ts';
import type { Attributes } from '../../core/otlp/span.ts';

/** A call, or the start of a server; the losses it brings along are told with our own. */
export type ExportItem = ExportedCall | ServerStart;

/** An encoded call, and the loss it reports, which is lost with it. */
export interface EncodedCall extends EncodedSpan {
  readonly droppedCalls: number;
}

export interface CallQueue {
  /** Keeps a call. O(1). */
  push(item: ExportItem): void;
  /** Encodes the oldest call that is not encoded yet. */
  encodeOne(): void;
  /** Takes out the oldest encoded spans: at most `maxSpans`, and at most `maxBytes` bytes unless one alone is longer. */
  take(maxSpans: number, maxBytes: number): EncodedCall[];
  /** Counts calls as lost; the next encoded span tells. */
  drop(spans: readonly EncodedCall[]): void;
  /** Counts calls that were lost elsewhere. */
  countLost(calls: number): void;
  /** The encoded spans, oldest first. */
  waiting(): readonly EncodedCall[];
  /** Takes out these encoded spans, wherever they stand. */
  remove(spans: ReadonlySet<EncodedCall>): void;
  /** Calls not encoded yet. */
  readonly unencoded: number;
  /** Encoded spans. */
  readonly encoded: number;
  /** Bytes of the encoded spans. */
  readonly encodedBytes: number;
  /** Calls lost since the start. */
  readonly dropped: number;
}

export interface CallQueueOptions {
  readonly maxCalls: number;
  /** Bytes of encoded JSON, and about as many of what is not encoded yet. */
  readonly maxBytes: number;
  /** Attributes put under those of every span's resource. */
  readonly resource: Attributes;
  /** Asked of an encoded span there is no room for: whether it lies elsewhere, and is not lost. */
  readonly isSpooled?: (span: EncodedCall) => boolean;
}

/** Creates an empty queue. */
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
        // A call that cannot be encoded is ours to bear and to count, never the host's to see.
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

/** Of a call without its payload, about: most of its texts are those of other calls. Or of a start; its catalogue is the server's. */
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

/** An array whose front is taken without moving the rest each time. */
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
    // What was taken must not be held: an item may hold a call's result.
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > 512 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
