// Our own way out of the host's process: calls are worked out in slices after their answers were sent, and leave in
// batches, one request at a time. It never throws, never prints, and never keeps the process alive but inside `flush`.

import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { joinSpansJson } from '../../core/otlp/encode-json.ts';
import type { Attributes } from '../../core/otlp/span.ts';
import { delayAfter } from './backoff.ts';
import { createCallQueue, type Deliverable, type EncodedCall } from './call-queue.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type { Transport } from './transport.ts';

export interface Delivery {
  /** Takes a call to be worked out and sent later. O(1), never throws; after `shutdown` it does nothing but count. */
  deliver(item: Deliverable): void;
  /**
   * Sends what waits. The only thing that keeps the process alive, and no longer than `timeoutMs` (2,000 by default);
   * a receiver that cannot be reached ends it at once, and the calls stay. Never rejects.
   */
  flush(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Flushes once more, then lets go of everything; what is left is counted as dropped. Never rejects. */
  shutdown(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Calls lost in this process: no room, refused, or left at shutdown. */
  readonly dropped: number;
  /** Spans the receiver took note of and refused (`partialSuccess`). */
  readonly rejected: number;
}

export interface DeliveryOptions extends Omit<HttpTransportOptions, 'url'> {
  /** Full URL, path included; see `resolveTarget`. */
  readonly endpoint: string;
  /** Attributes of the process, put under those of every span's resource. */
  readonly resource?: Attributes;
  /** Hears of failures, each time; see `createFailureReport`. */
  readonly onFailure?: (reason: string) => void;
  /** In place of HTTP. */
  readonly transport?: Transport;
  /** In [0, 1); spreads retries. */
  readonly random?: () => number;
}

const FLUSH_EVERY_MS = 500;
const FLUSH_AT_CALLS = 256;
const MAX_CALLS = 10_000;
/** Bytes that may wait: with payloads captured, 10,000 calls would be too much for a guest. */
const MAX_QUEUE_BYTES = 32 * 1024 * 1024;
/** Bytes a body is filled to. Small enough for a socket's buffers: a write that waits keeps the process alive. */
const BODY_BYTES = 1024 * 1024;
/** A single span may be longer than BODY_BYTES, but no body is longer than this. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const SLICE_MS = 1;

/** Creates a delivery with its queue, timers and one connection. */
export function createDelivery(options: DeliveryOptions): Delivery {
  return new QueuedDelivery(options);
}

class QueuedDelivery implements Delivery {
  readonly #queue;
  readonly #transport: Transport;
  readonly #onFailure: (reason: string) => void;
  readonly #random: () => number;
  /** Timers and requests start from here, so that they do not inherit the async context of whichever call came first. */
  readonly #context = new AsyncResource('toolscope.delivery', { requireManualDestroy: true });
  /** The batch that failed and is tried again first, with the same bytes. */
  #held: EncodedCall[] = [];
  #sliceIsDue = false;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<boolean> | undefined;
  #failures = 0;
  /** No attempt before this (milliseconds since the epoch), because the receiver said so. */
  #notBeforeMs = 0;
  #isClosed = false;
  #rejected = 0;
  #late = 0;

  constructor(options: DeliveryOptions) {
    this.#queue = createCallQueue({
      maxCalls: MAX_CALLS,
      maxBytes: MAX_QUEUE_BYTES,
      resource: options.resource ?? {},
    });
    this.#transport = options.transport ?? createHttpTransport({ ...options, url: options.endpoint });
    this.#onFailure = options.onFailure ?? (() => {});
    this.#random = options.random ?? Math.random;
  }

  get dropped(): number {
    return this.#queue.dropped + this.#late;
  }

  get rejected(): number {
    return this.#rejected;
  }

  deliver(item: Deliverable): void {
    if (this.#isClosed) {
      this.#late += 1;
      return;
    }
    this.#queue.push(item);
    if (this.#sliceIsDue) return;
    this.#sliceIsDue = true;
    this.#context.runInAsyncScope(setImmediate, undefined, this.#workSlice).unref();
  }

  async flush({ timeoutMs = 2_000 }: { readonly timeoutMs?: number } = {}): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    let timer: NodeJS.Timeout | undefined;
    // This timer, and nothing else here, holds the process.
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#sendAll(deadline), late]);
    clearTimeout(timer);
  }

  async shutdown(options?: { readonly timeoutMs?: number }): Promise<void> {
    if (this.#isClosed) return;
    await this.flush(options);
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#transport.close();
    while (this.#queue.raw > 0) this.#queue.encodeOne();
    this.#queue.drop([...this.#held, ...this.#queue.take(MAX_CALLS, Number.POSITIVE_INFINITY)]);
    this.#held = [];
    this.#context.emitDestroy();
  }

  readonly #workSlice = (): void => {
    this.#sliceIsDue = false;
    this.#encodeFor(SLICE_MS);
    if (this.#queue.raw > 0 && !this.#isClosed) {
      this.#sliceIsDue = true;
      setImmediate(this.#workSlice).unref();
    }
    if (this.#failures > 0) return;
    if (this.#hasFullBatch()) void this.#send();
    else this.#sendIn(FLUSH_EVERY_MS);
  };

  #encodeFor(budgetMs: number): void {
    const until = performance.now() + budgetMs;
    do this.#queue.encodeOne();
    while (this.#queue.raw > 0 && performance.now() < until);
  }

  #sendIn(delayMs: number): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, delayMs);
    this.#timer.unref();
  }

  /** Sends everything as far as the receiver lets us. Until `deadline`, milliseconds since the epoch. */
  async #sendAll(deadline: number): Promise<void> {
    while (this.#queue.raw > 0 && Date.now() < deadline) {
      this.#encodeFor(SLICE_MS);
      await new Promise(setImmediate);
    }
    await this.#sending;
    while (this.#held.length + this.#queue.encoded > 0) {
      const waitMs = this.#notBeforeMs - Date.now();
      if (Date.now() + waitMs > deadline) return;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
      const isThrough = await this.#send();
      if (!isThrough && this.#notBeforeMs <= Date.now()) return;
    }
  }

  #hasFullBatch(): boolean {
    return this.#queue.encoded >= FLUSH_AT_CALLS || this.#queue.encodedBytes >= BODY_BYTES;
  }

  /** Sends one batch, then those that are full; false when one has to be tried again. One run at a time. */
  #send(): Promise<boolean> {
    this.#sending ??= this.#context
      .runInAsyncScope(() => this.#sendBatches())
      .finally(() => {
        this.#sending = undefined;
      });
    return this.#sending;
  }

  async #sendBatches(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    do {
      if (this.#held.length === 0) this.#held = this.#queue.take(FLUSH_AT_CALLS, BODY_BYTES);
      if (this.#held.length > 0 && !(await this.#sendHeld())) return false;
    } while (this.#hasFullBatch());
    // The rest may still grow; many small requests would cost the host more than one.
    if (this.#queue.encoded > 0) this.#sendIn(FLUSH_EVERY_MS);
    return true;
  }

  /** False when the batch has to be tried again. */
  async #sendHeld(): Promise<boolean> {
    const body = joinSpansJson(this.#held);
    if (body.length > MAX_BODY_BYTES) return this.#giveUp('one call is larger than 4 MiB');
    const result = await this.#transport.send(body);
    switch (result.status) {
      case 'delivered':
        this.#rejected += result.rejectedSpans;
        return this.#forgetHeld();
      case 'refused':
        return this.#giveUp(result.reason);
      case 'retryable':
        this.#retryLater(result.reason, result.afterMs);
        return false;
      default:
        return result satisfies never;
    }
  }

  #forgetHeld(): true {
    this.#held = [];
    this.#failures = 0;
    this.#notBeforeMs = 0;
    return true;
  }

  #giveUp(reason: string): true {
    this.#onFailure(reason);
    this.#queue.drop(this.#held);
    return this.#forgetHeld();
  }

  #retryLater(reason: string, afterMs: number | undefined): void {
    this.#onFailure(reason);
    this.#failures += 1;
    const delayMs = delayAfter({ failures: this.#failures, afterMs, random: this.#random() });
    this.#notBeforeMs = afterMs === undefined ? 0 : Date.now() + delayMs;
    this.#sendIn(delayMs);
  }
}
