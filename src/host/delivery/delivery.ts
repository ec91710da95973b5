// Our own way out of the host's process: calls are worked out in slices after their answers were sent, and leave in
// batches, one request at a time; what is not acknowledged soon is kept on disk meanwhile. It never throws, never prints,
// and never keeps the process alive but inside `flush`.

import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { joinSpansJson } from '../../core/otlp/encode-json.ts';
import type { Attributes } from '../../core/otlp/span.ts';
import { delayAfter } from './backoff.ts';
import { createCallQueue, type Deliverable, type EncodedCall } from './call-queue.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { Spool, type SpoolOptions } from './spool.ts';
import { createTimers, type TimerName } from './timers.ts';
import type { SendResult, Transport } from './transport.ts';

export interface Delivery {
  /** Takes a call to be worked out and sent later. O(1), never throws; after `shutdown` it does nothing but count. */
  deliver(item: Deliverable): void;
  /** Starts to send what waits, now; keeps nothing alive, and nobody has to wait for it. */
  hurry(): void;
  /**
   * Writes what is not acknowledged to disk, at once: for a process that ends. Blocks as long as the disk takes.
   * @returns whether nothing is left that would be lost with the process
   */
  spill(): boolean;
  /**
   * Sends what waits. The only thing that keeps the process alive, and no longer than `timeoutMs` (2,000 by default);
   * a receiver that cannot be reached ends it at once, and the calls stay. Never rejects.
   */
  flush(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Flushes once more, then lets go of everything; what is left is kept on disk, or counted as dropped. Never rejects. */
  shutdown(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Calls lost in this process: no room, refused, or left at shutdown. */
  readonly dropped: number;
  /** Spans the receiver took note of and refused (`partialSuccess`). */
  readonly rejected: number;
}

/** Where calls may be kept; without, they wait in memory alone. */
export type SpoolPlace = Pick<SpoolOptions, 'directory' | 'maxBytes'>;

export interface DeliveryOptions extends Omit<HttpTransportOptions, 'url'> {
  /** Full URL, path included; see `resolveTarget`. */
  readonly endpoint: string;
  readonly spool?: SpoolPlace | undefined;
  /** Headers that choose a tenant at the receiver: what waits for one tenant is not sent to another. None by default. */
  readonly tenantHeaders?: Readonly<Record<string, string>>;
  /** How often (ms) it looks for what other processes left; 10,000 by default. */
  readonly lookEveryMs?: number;
  /** Attributes of the process, put under those of every span's resource. */
  readonly resource?: Attributes;
  /** Hears of failures, each time; see `createFailureReport`. */
  readonly onFailure?: (reason: string) => void;
  /** In place of HTTP. */
  readonly transport?: Transport;
  /** In [0, 1); spreads retries. */
  readonly random?: () => number;
}

/** After a pause the first calls leave at once, so that a quiet server's need no disk; later ones wait for each other. */
const FLUSH_SOON_MS = 10;
const FLUSH_EVERY_MS = 500;
const FLUSH_AT_CALLS = 256;
/** Calls not acknowledged so long after they came here are written to disk. */
const KEEP_AFTER_MS = 30;
/** After a disk refused. */
const KEEP_AGAIN_MS = 10_000;
const MAX_CALLS = 10_000;
/** Bytes that may wait: with a batch on its way, and the results that wait to be looked at, 16 MiB of a guest's. */
const MAX_QUEUE_BYTES = 10 * 1024 * 1024;
/** Bytes of encoded calls at which the others wait as they are, which takes less room. */
const ENCODE_TO_BYTES = 3 * 1024 * 1024;
/** Bytes a body is filled to. Small enough for a socket's buffers: a write that waits keeps the process alive. */
const BODY_BYTES = 1024 * 1024;
/** A single span may be longer than BODY_BYTES, but no body is longer than this. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const SLICE_MS = 1;
/** Between two slices the host has its turn. A timer: an immediate that is unref'd sleeps while the event loop does. */
const BETWEEN_SLICES_MS = 1;
/** The first look for calls that other processes left, and the later ones; spread by `random`. */
const FIRST_LOOK_MS = 100;
const LOOK_EVERY_MS = 10_000;
/** Segments taken over in one look: others may be looking too. */
const ADOPT_AT_ONCE = 16;

/** Creates a delivery with its queue, timers and one connection. */
export function createDelivery(options: DeliveryOptions): Delivery {
  return new QueuedDelivery(options);
}

class QueuedDelivery implements Delivery {
  readonly #queue;
  readonly #transport: Transport;
  readonly #spool: Spool | undefined;
  readonly #onFailure: (reason: string) => void;
  readonly #random: () => number;
  readonly #lookEveryMs: number;
  /** Timers and requests start from here, so that they do not inherit the async context of whichever call came first. */
  readonly #context = new AsyncResource('toolscope.delivery', { requireManualDestroy: true });
  readonly #timers = createTimers();
  /** The batch that is on its way, or failed and is tried again first, with the same bytes. */
  #held: readonly EncodedCall[] = [];
  #sending: Promise<boolean> | undefined;
  /** When the last attempt began (milliseconds since the epoch). */
  #sentAtMs = 0;
  #failures = 0;
  /** No attempt before this (milliseconds since the epoch), because the receiver said so. */
  #notBeforeMs = 0;
  #isClosed = false;
  #rejected = 0;
  #late = 0;

  constructor(options: DeliveryOptions) {
    const { endpoint, tenantHeaders = {}, resource = {}, spool } = options;
    this.#onFailure = options.onFailure ?? (() => {});
    this.#random = options.random ?? Math.random;
    this.#lookEveryMs = options.lookEveryMs ?? LOOK_EVERY_MS;
    this.#transport = options.transport ?? createHttpTransport({ ...options, url: endpoint });
    this.#queue = createCallQueue({
      maxCalls: MAX_CALLS,
      maxBytes: MAX_QUEUE_BYTES,
      resource,
      isElsewhere: (call) => this.#spool?.release([call]).has(call) ?? false,
    });
    this.#spool = spool && this.#openSpool({ ...spool, url: endpoint, headers: tenantHeaders });
    if (this.#spool !== undefined) this.#lookIn(FIRST_LOOK_MS);
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
    this.#in('slice', BETWEEN_SLICES_MS, () => this.#workSlice());
  }

  hurry(): void {
    if (this.#isClosed) return;
    this.#encodeSome();
    if (this.#failures === 0) void this.#send();
  }

  spill(): boolean {
    for (;;) {
      this.#encodeSome();
      const calls = [...this.#held, ...this.#queue.waiting()];
      if (calls.length > 0 && !this.#spool?.keepNow(calls)) return false;
      if (this.#queue.raw === 0) return true;
      this.#letGo();
    }
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
    this.#timers.clear();
    this.#transport.close();
    do {
      this.#encodeSome();
      const left = [...this.#held, ...this.#queue.take(MAX_CALLS, Number.POSITIVE_INFINITY)];
      this.#held = [];
      if (!(await this.#keep(left))) this.#queue.drop(left);
    } while (this.#queue.raw > 0);
    await this.#spool?.settle();
    this.#context.emitDestroy();
  }

  #openSpool(options: Omit<SpoolOptions, 'onTrouble' | 'onLost'>): Spool | undefined {
    if (options.maxBytes <= 0) return undefined;
    return new Spool({
      ...options,
      onTrouble: this.#onFailure,
      onLost: (calls) => {
        this.#onFailure(`${calls} calls that were kept on disk are lost`);
        this.#queue.lose(calls);
      },
    });
  }

  #in(name: TimerName, delayMs: number, run: () => void): void {
    if (!this.#isClosed) this.#context.runInAsyncScope(this.#timers.in, undefined, name, { delayMs, run });
  }

  #workSlice(): void {
    this.#encodeFor(SLICE_MS);
    this.#encodeLater();
    if (this.#spool !== undefined) this.#in('keep', KEEP_AFTER_MS, () => void this.#keepWaiting());
    if (this.#failures > 0) return;
    if (this.#hasFullBatch()) void this.#send();
    else this.#sendSoon();
  }

  #encodeFor(budgetMs: number): void {
    const until = performance.now() + budgetMs;
    while (this.#canEncode && performance.now() < until) this.#queue.encodeOne();
  }

  get #canEncode(): boolean {
    return this.#queue.raw > 0 && this.#queue.encodedBytes < ENCODE_TO_BYTES;
  }

  /** As many as may be encoded at a time. */
  #encodeSome(): void {
    while (this.#canEncode) this.#queue.encodeOne();
  }

  #encodeLater(): void {
    if (this.#canEncode) this.#in('slice', BETWEEN_SLICES_MS, () => this.#workSlice());
  }

  #sendSoon(): void {
    // A wall clock that was set back must not make anybody wait.
    const leftMs = Math.min(FLUSH_EVERY_MS, this.#sentAtMs + FLUSH_EVERY_MS - Date.now());
    this.#sendIn(Math.max(FLUSH_SOON_MS, leftMs));
  }

  #sendIn(delayMs: number): void {
    this.#in('send', delayMs, () => void this.#send());
  }

  /** Writes what is not acknowledged to disk; while the receiver does not answer, that is then the only place. */
  async #keepWaiting(): Promise<void> {
    const calls = [...this.#held, ...this.#queue.waiting()];
    const isKept = (await this.#spool?.keep(calls)) ?? true;
    if (!isKept) this.#in('keep', KEEP_AGAIN_MS, () => void this.#keepWaiting());
    const isSlow = this.#queue.encodedBytes > BODY_BYTES || this.#queue.encoded > FLUSH_AT_CALLS;
    if (this.#failures > 0 || isSlow) this.#letGo();
  }

  #letGo(): void {
    const released = this.#spool?.release(this.#queue.waiting());
    if (released === undefined || released.size === 0) return;
    this.#queue.takeOut(released);
    this.#encodeLater();
  }

  /** Moves calls to disk. False when they are not there. */
  async #keep(calls: readonly EncodedCall[]): Promise<boolean> {
    if (this.#spool === undefined || !(await this.#spool.keep(calls))) return calls.length === 0;
    this.#spool.release(calls);
    return true;
  }

  #lookIn(delayMs: number): void {
    this.#in('look', delayMs * (1 + this.#random()), () => void this.#look());
  }

  /** Takes over what others left, while the receiver takes it from us. */
  async #look(): Promise<void> {
    const isBusy = this.#failures > 0 || (this.#spool?.backlog ?? 0) > 0;
    const adopted = isBusy ? 0 : ((await this.#spool?.adopt(ADOPT_AT_ONCE)) ?? 0);
    if (adopted > 0) void this.#send();
    this.#lookIn(adopted === ADOPT_AT_ONCE ? FIRST_LOOK_MS : this.#lookEveryMs);
  }

  get #waiting(): number {
    return this.#held.length + this.#queue.encoded + (this.#spool?.backlog ?? 0);
  }

  /** Sends everything as far as the receiver lets us. Until `deadline`, milliseconds since the epoch. */
  async #sendAll(deadline: number): Promise<void> {
    await this.#sending;
    for (;;) {
      await this.#encodeUntil(deadline);
      if (this.#waiting === 0) return;
      const waitMs = this.#notBeforeMs - Date.now();
      if (Date.now() + waitMs > deadline) return;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
      const isThrough = await this.#send();
      if (!isThrough && this.#notBeforeMs <= Date.now()) return;
    }
  }

  async #encodeUntil(deadline: number): Promise<void> {
    while (this.#canEncode && Date.now() < deadline) {
      this.#encodeFor(SLICE_MS);
      await new Promise(setImmediate);
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
    this.#timers.cancel('send');
    do {
      this.#sentAtMs = Date.now();
      if (!(await this.#sendStored()) || !(await this.#sendHeld())) return false;
      this.#encodeLater();
    } while (this.#hasFullBatch() || this.#spool?.hasNext);
    // The rest may still grow; many small requests would cost the host more than one.
    if (this.#queue.encoded > 0) this.#sendSoon();
    return true;
  }

  /** Sends what lies on disk alone. False when it has to be tried again. */
  async #sendStored(): Promise<boolean> {
    while (this.#held.length === 0 && (this.#spool?.backlog ?? 0) > 0) {
      const stored = await this.#spool?.next();
      if (stored === undefined) return true;
      const result = await this.#attempt(stored.body);
      if (result.status === 'retryable') return this.#retryLater(result);
      if (result.status === 'refused') this.#queue.lose(stored.calls);
      this.#spool?.done(stored);
    }
    return true;
  }

  /** Sends one batch from memory. False when it has to be tried again. */
  async #sendHeld(): Promise<boolean> {
    if (this.#held.length === 0) {
      this.#held = this.#queue.take(FLUSH_AT_CALLS, BODY_BYTES);
      if (this.#held.some((call) => this.#spool?.isKept(call))) this.#spool?.seal();
    }
    if (this.#held.length === 0) return true;
    const result = await this.#attempt(joinSpansJson(this.#held));
    if (result.status === 'retryable') {
      if (await this.#keep(this.#held)) this.#held = [];
      this.#letGo();
      return this.#retryLater(result);
    }
    this.#spool?.forget(this.#held);
    if (result.status === 'refused') this.#queue.drop(this.#held);
    this.#held = [];
    return true;
  }

  async #attempt(body: Uint8Array): Promise<SendResult> {
    const result: SendResult =
      body.length > MAX_BODY_BYTES
        ? { status: 'refused', reason: 'one call is larger than 4 MiB' }
        : await this.#transport.send(body);
    if (result.status === 'delivered') this.#rejected += result.rejectedSpans;
    else this.#onFailure(result.reason);
    if (result.status !== 'retryable') {
      this.#failures = 0;
      this.#notBeforeMs = 0;
    }
    return result;
  }

  #retryLater({ afterMs }: Extract<SendResult, { status: 'retryable' }>): false {
    this.#failures += 1;
    const delayMs = delayAfter({ failures: this.#failures, afterMs, random: this.#random() });
    this.#notBeforeMs = afterMs === undefined ? 0 : Date.now() + delayMs;
    // What came while this was on its way may have asked for another attempt, too soon now.
    this.#timers.cancel('send');
    this.#sendIn(delayMs);
    return false;
  }
}
