// The calls that wait: first as they were reduced, then as encoded spans. Bounded in calls and in bytes; beyond that the
// oldest goes, and its loss is counted and told on the next span that is encoded.

import { type ReducedCall, type ServerStart, toSpan, toStartSpan } from '../../core/dialects/toolscope.ts';
import { type EncodedSpan, encodeSpanJson } from '../../core/otlp/encode-json.ts';
import type { Attributes } from '../../core/otlp/span.ts';

/** A call, or the start of a server; the losses it brings along are told with our own. */
export type Deliverable = ReducedCall | ServerStart;

/** An encoded call, and the loss it reports, which is lost with it. */
export interface EncodedCall extends EncodedSpan {
  readonly droppedCalls: number;
}

export interface CallQueue {
  /** Keeps a call. O(1). */
  push(item: Deliverable): void;
  /** Encodes the oldest call that is not encoded yet. */
  encodeOne(): void;
  /** Takes out the oldest encoded spans: at most `maxSpans`, and at most `maxBytes` bytes unless one alone is longer. */
  take(maxSpans: number, maxBytes: number): EncodedCall[];
  /** Counts calls as lost; the next encoded span tells. */
  drop(spans: readonly EncodedCall[]): void;
  /** Counts calls that were lost elsewhere. */
  lose(calls: number): void;
  /** The encoded spans, oldest first. */
  waiting(): readonly EncodedCall[];
  /** Takes out these encoded spans, wherever they stand. */
  takeOut(spans: ReadonlySet<EncodedCall>): void;
  /** Calls not encoded yet. */
  readonly raw: number;
  /** Encoded spans. */
  readonly encoded: number;
  /** Bytes of the encoded spans. */
  readonly encodedBytes: number;
  /** Calls lost since the start. */
  readonly dropped: number;
}

export interface CallQueueLimits {
  readonly maxCalls: number;
  /** Bytes of encoded JSON, and about as many of what is not encoded yet. */
  readonly maxBytes: number;
  /** Attributes put under those of every span's resource. */
  readonly resource: Attributes;
  /** Asked of an encoded span there is no room for: whether it lies elsewhere, and is not lost. */
  readonly isElsewhere?: (span: EncodedCall) => boolean;
}

/** Creates an empty queue. */
export function createCallQueue({
  maxCalls,
  maxBytes,
  resource,
  isElsewhere = () => false,
}: CallQueueLimits): CallQueue {
  const raw = new Fifo<Deliverable>();
  const encoded = new Fifo<EncodedCall>();
  let length = 0;
  let rawBytes = 0;
  let dropped = 0;
  let unreported = 0;

  function shiftEncoded(): EncodedCall | undefined {
    const span = encoded.shift();
    if (span !== undefined) length -= span.bytes.length;
    return span;
  }
  function shiftRaw(): Deliverable | undefined {
    const item = raw.shift();
    if (item !== undefined) rawBytes -= bytesOf(item);
    return item;
  }
  function lose(lost: { readonly droppedCalls?: number } | undefined): void {
    dropped += 1;
    unreported += 1 + (lost?.droppedCalls ?? 0);
  }
  function makeRoom(): void {
    const isOver = () => length + rawBytes > maxBytes && raw.size + encoded.size > 1;
    while (raw.size + encoded.size > maxCalls || isOver()) {
      const span = shiftEncoded();
      if (span === undefined) lose(shiftRaw());
      else if (!isElsewhere(span)) lose(span);
    }
  }

  return {
    push(item) {
      raw.push(item);
      rawBytes += bytesOf(item);
      makeRoom();
    },
    encodeOne() {
      const item = shiftRaw();
      if (item === undefined) return;
      const droppedCalls = unreported + (item.droppedCalls ?? 0);
      try {
        const call = encodeCall(item, { droppedCalls, resource });
        unreported = 0;
        encoded.push(call);
        length += call.bytes.length;
        makeRoom();
      } catch {
        // A call that cannot be encoded is ours to bear and to count, never the host's to see.
        lose(item);
      }
    },
    take(maxSpans, maxTaken) {
      const taken: EncodedCall[] = [];
      let sum = 0;
      for (let next = encoded.peek(); next !== undefined && taken.length < maxSpans; next = encoded.peek()) {
        sum += next.bytes.length;
        if (sum > maxTaken && taken.length > 0) break;
        taken.push(next);
        shiftEncoded();
      }
      return taken;
    },
    drop(spans) {
      for (const span of spans) lose(span);
    },
    lose(calls) {
      dropped += calls;
      unreported += calls;
    },
    waiting: () => encoded.list(),
    takeOut(spans) {
      for (let left = encoded.size; left > 0; left -= 1) {
        const span = shiftEncoded();
        if (span === undefined || spans.has(span)) continue;
        encoded.push(span);
        length += span.bytes.length;
      }
    },
    get raw() {
      return raw.size;
    },
    get encoded() {
      return encoded.size;
    },
    get encodedBytes() {
      return length;
    },
    get dropped() {
      return dropped;
    },
  };
}

/** Of a call without its payload, about: most of its texts are those of other calls. Or of a start; its catalogue is the server's. */
const PLAIN_BYTES = 700;

function bytesOf(item: Deliverable): number {
  const payload = 'call' in item ? item.payload : undefined;
  return PLAIN_BYTES + (payload === undefined ? 0 : payload.arguments.length + payload.result.length);
}

function encodeCall(
  item: Deliverable,
  extra: { readonly droppedCalls: number; readonly resource: Attributes },
): EncodedCall {
  const { droppedCalls } = extra;
  const span = 'call' in item ? toSpan({ ...item, droppedCalls }) : toStartSpan({ ...item, droppedCalls });
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
