// Our own way out of the host's process: calls are worked out in slices after their answers were sent, and leave in
// batches, one request at a time; what is not acknowledged soon is kept on disk meanwhile. It never throws, never prints,
// and never keeps the process alive but inside `flush`.

import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { joinSpansJson } from '../../core/otlp/encode-json.ts';
import type { Attributes } from '../../core/otlp/span.ts';
import { computeBackoffMs } from './backoff.ts';
import { createCallQueue, type EncodedCall, type ExportItem } from './call-queue.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type { ExporterTransport, SendResult } from './send-result.ts';
import { Spool, type SpoolOptions } from './spool.ts';
import { createTimers, type TimerName } from './timers.ts';

export interface CallExporter {
  /** Takes a call to be worked out and sent later. O(1), never throws; after `shutdown` it does nothing but count. */
  export(item: ExportItem): void;
  /** Starts to send what waits, now; keeps nothing alive, and nobody has to wait for it. */
  flushInBackground(): void;
  /**
   * Writes what is not acknowledged to disk, at once: for a process that ends. Blocks as long as the disk takes.
   * @returns whether nothing is left that would be lost with the process
   */
  spillToDisk(): boolean;
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
export type SpoolLocation = Pick<SpoolOptions, 'directory' | 'maxBytes'>;

export interface CallExporterOptions extends Omit<HttpTransportOptions, 'url'> {
  /** Full URL, path included; see `resolveTarget`. */
  readonly endpoint: string;
  readonly spool?: SpoolLocation | undefined;
  /** Headers that choose a tenant at the receiver: what waits for one tenant is not sent to another. None by default. */
  readonly tenantHeaders?: Readonly<Record<string, string>>;
  /** How often (ms) it looks for what other processes left; 10,000 by default. */
  readonly adoptEveryMs?: number;
  /** Attributes of the process, put under those of every span's resource. */
  readonly resource?: Attributes;
  /** Hears of failures, each time; see `createFailureReporter`. */
  readonly onFailure?: (reason: string) => void;
  /** In place of HTTP. */
  readonly transport?: ExporterTransport;
  /** In [0, 1); spreads retries. */
  readonly random?: () => number;
}

/** After a pause the first calls leave at once, so that a quiet server's need no disk; later ones wait for each other. */
const FLUSH_SOON_MS = 10;
const FLUSH_EVERY_MS = 500;
const FLUSH_AT_CALLS = 256;
/** Calls not acknowledged so long after they came here are written to disk. */
const SPOOL_AFTER_MS = 30;
/** After a disk refused. */
const SPOOL_RETRY_MS = 10_000;
const MAX_QUEUED_CALLS = 10_000;
/** Bytes that may wait: with a batch on its way, and the results that wait to be looked at, 16 MiB of a guest's. */
const MAX_QUEUE_BYTES = 10 * 1024 * 1024;
/** Bytes of encoded calls at which the others wait as they are, which takes less room. */
const MAX_ENCODED_BYTES = 3 * 1024 * 1024;
/** Bytes a body is filled to. Small enough for a socket's buffers: a write that waits keeps the process alive. */
const TARGET_BODY_BYTES = 1024 * 1024;
/** A single span may be longer than TARGET_BODY_BYTES, but no body is longer than this. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const SLICE_MS = 1;
/** Between two slices the host has its turn. A timer: an immediate that is unref'd sleeps while the event loop does. */
const SLICE_INTERVAL_MS = 1;
/** The first look for calls that other processes left, and the later ones; spread by `random`. */
const FIRST_ADOPTION_MS = 100;
const ADOPT_EVERY_MS = 10_000;
/** Segments taken over in one look: others may be looking too. */
const MAX_ADOPTED_SEGMENTS = 16;

/** Creates a delivery with its queue, timers and one connection. */
export function createCallExporter(options: CallExporterOptions): CallExporter {
  return new QueuedCallExporter(options);
}

class QueuedCallExporter implements CallExporter {
  readonly #queue;
  readonly #transport: ExporterTransport;
  readonly #spool: Spool | undefined;
  readonly #onFailure: (reason: string) => void;
  readonly #random: () => number;
  readonly #adoptEveryMs: number;
  /** Timers and requests start from here, so that they do not inherit the async context of whichever call came first. */
  readonly #context = new AsyncResource('toolscope.delivery', { requireManualDestroy: true });
  readonly #timers = createTimers();
  /** The batch that is on its way, or failed and is tried again first, with the same bytes. */
  #batch: readonly EncodedCall[] = [];
  #sending: Promise<boolean> | undefined;
  /** When the last attempt began (milliseconds since the epoch). */
  #sentAtMs = 0;
  #failures = 0;
  /** No attempt before this (milliseconds since the epoch), because the receiver said so. */
  #notBeforeMs = 0;
  #isClosed = false;
  #rejected = 0;
  #refusedAfterClose = 0;

  constructor(options: CallExporterOptions) {
    const { endpoint, tenantHeaders = {}, resource = {}, spool } = options;
    this.#onFailure = options.onFailure ?? (() => {});
    this.#random = options.random ?? Math.random;
    this.#adoptEveryMs = options.adoptEveryMs ?? ADOPT_EVERY_MS;
    this.#transport = options.transport ?? createHttpTransport({ ...options, url: endpoint });
    this.#queue = createCallQueue({
      maxCalls: MAX_QUEUED_CALLS,
      maxBytes: MAX_QUEUE_BYTES,
      resource,
      isSpooled: (call) => this.#spool?.release([call]).has(call) ?? false,
    });
    this.#spool = spool && this.#openSpool({ ...spool, url: endpoint, headers: tenantHeaders });
    if (this.#spool !== undefined) this.#scheduleAdoption(FIRST_ADOPTION_MS);
  }

  get dropped(): number {
    return this.#queue.dropped + this.#refusedAfterClose;
  }

  get rejected(): number {
    return this.#rejected;
  }

  export(item: ExportItem): void {
    if (this.#isClosed) {
      this.#refusedAfterClose += 1;
      return;
    }
    this.#queue.push(item);
    this.#schedule('slice', SLICE_INTERVAL_MS, () => this.#runSlice());
  }

  flushInBackground(): void {
    if (this.#isClosed) return;
    this.#encodeToLimit();
    if (this.#failures === 0) void this.#send();
  }

  spillToDisk(): boolean {
    for (;;) {
      this.#encodeToLimit();
      const calls = [...this.#batch, ...this.#queue.waiting()];
      if (calls.length > 0 && !this.#spool?.writeSync(calls)) return false;
      if (this.#queue.unencoded === 0) return true;
      this.#removeSpooled();
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
      this.#encodeToLimit();
      const left = [...this.#batch, ...this.#queue.take(MAX_QUEUED_CALLS, Number.POSITIVE_INFINITY)];
      this.#batch = [];
      if (!(await this.#moveToSpool(left))) this.#queue.drop(left);
    } while (this.#queue.unencoded > 0);
    await this.#spool?.drain();
    this.#context.emitDestroy();
  }

  #openSpool(options: Omit<SpoolOptions, 'onFailure' | 'onLost'>): Spool | undefined {
    if (options.maxBytes <= 0) return undefined;
    return new Spool({
      ...options,
      onFailure: this.#onFailure,
      onLost: (calls) => {
        this.#onFailure(`${calls} calls that were kept on disk are lost`);
        this.#queue.countLost(calls);
      },
    });
  }

  #schedule(name: TimerName, delayMs: number, run: () => void): void {
    if (!this.#isClosed)
      this.#context.runInAsyncScope(this.#timers.schedule, undefined, name, { delayMs, run });
  }

  #runSlice(): void {
    this.#encodeFor(SLICE_MS);
    this.#scheduleEncoding();
    if (this.#spool !== undefined) this.#schedule('keep', SPOOL_AFTER_MS, () => void this.#spoolPending());
    if (this.#failures > 0) return;
    if (this.#hasFullBatch()) void this.#send();
    else this.#scheduleSend();
  }

  #encodeFor(budgetMs: number): void {
    const until = performance.now() + budgetMs;
    while (this.#canEncode && performance.now() < until) this.#queue.encodeOne();
  }

  get #canEncode(): boolean {
    return this.#queue.unencoded > 0 && this.#queue.encodedBytes < MAX_ENCODED_BYTES;
  }

  /** As many as may be encoded at a time. */
  #encodeToLimit(): void {
    while (this.#canEncode) this.#queue.encodeOne();
  }

  #scheduleEncoding(): void {
    if (this.#canEncode) this.#schedule('slice', SLICE_INTERVAL_MS, () => this.#runSlice());
  }

  #scheduleSend(): void {
    // A wall clock that was set back must not make anybody wait.
    const leftMs = Math.min(FLUSH_EVERY_MS, this.#sentAtMs + FLUSH_EVERY_MS - Date.now());
    this.#sendIn(Math.max(FLUSH_SOON_MS, leftMs));
  }

  #sendIn(delayMs: number): void {
    this.#schedule('send', delayMs, () => void this.#send());
  }

  /** Writes what is not acknowledged to disk; while the receiver does not answer, that is then the only place. */
  async #spoolPending(): Promise<void> {
    const calls = [...this.#batch, ...this.#queue.waiting()];
    const isKept = (await this.#spool?.write(calls)) ?? true;
    if (!isKept) this.#schedule('keep', SPOOL_RETRY_MS, () => void this.#spoolPending());
    const isSlow = this.#queue.encodedBytes > TARGET_BODY_BYTES || this.#queue.encoded > FLUSH_AT_CALLS;
    if (this.#failures > 0 || isSlow) this.#removeSpooled();
  }

  #removeSpooled(): void {
    const released = this.#spool?.release(this.#queue.waiting());
    if (released === undefined || released.size === 0) return;
    this.#queue.remove(released);
    this.#scheduleEncoding();
  }

  /** Moves calls to disk. False when they are not there. */
  async #moveToSpool(calls: readonly EncodedCall[]): Promise<boolean> {
    if (this.#spool === undefined || !(await this.#spool.write(calls))) return calls.length === 0;
    this.#spool.release(calls);
    return true;
  }

  #scheduleAdoption(delayMs: number): void {
    this.#schedule('look', delayMs * (1 + this.#random()), () => void this.#adoptOrphans());
  }

  /** Takes over what others left, while the receiver takes it from us. */
  async #adoptOrphans(): Promise<void> {
    const isBusy = this.#failures > 0 || (this.#spool?.backlog ?? 0) > 0;
    const adopted = isBusy ? 0 : ((await this.#spool?.adoptOrphans(MAX_ADOPTED_SEGMENTS)) ?? 0);
    if (adopted > 0) void this.#send();
    this.#scheduleAdoption(adopted === MAX_ADOPTED_SEGMENTS ? FIRST_ADOPTION_MS : this.#adoptEveryMs);
  }

  get #pendingCount(): number {
    return this.#batch.length + this.#queue.encoded + (this.#spool?.backlog ?? 0);
  }

  /** Sends everything as far as the receiver lets us. Until `deadline`, milliseconds since the epoch. */
  async #sendAll(deadline: number): Promise<void> {
    await this.#sending;
    for (;;) {
      await this.#encodeUntil(deadline);
      if (this.#pendingCount === 0) return;
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
    return this.#queue.encoded >= FLUSH_AT_CALLS || this.#queue.encodedBytes >= TARGET_BODY_BYTES;
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
      if (!(await this.#sendSpooled()) || !(await this.#sendBatch())) return false;
      this.#scheduleEncoding();
    } while (this.#hasFullBatch() || this.#spool?.hasNext);
    // The rest may still grow; many small requests would cost the host more than one.
    if (this.#queue.encoded > 0) this.#scheduleSend();
    return true;
  }

  /** Sends what lies on disk alone. False when it has to be tried again. */
  async #sendSpooled(): Promise<boolean> {
    while (this.#batch.length === 0 && (this.#spool?.backlog ?? 0) > 0) {
      const stored = await this.#spool?.nextBatch();
      if (stored === undefined) return true;
      const result = await this.#trySend(stored.body);
      if (result.status === 'retryable') return this.#scheduleRetry(result);
      if (result.status === 'refused') this.#queue.countLost(stored.calls);
      this.#spool?.completeBatch(stored);
    }
    return true;
  }

  /** Sends one batch from memory. False when it has to be tried again. */
  async #sendBatch(): Promise<boolean> {
    if (this.#batch.length === 0) {
      this.#batch = this.#queue.take(FLUSH_AT_CALLS, TARGET_BODY_BYTES);
      if (this.#batch.some((call) => this.#spool?.isWritten(call))) this.#spool?.seal();
    }
    if (this.#batch.length === 0) return true;
    const result = await this.#trySend(joinSpansJson(this.#batch));
    if (result.status === 'retryable') {
      if (await this.#moveToSpool(this.#batch)) this.#batch = [];
      this.#removeSpooled();
      return this.#scheduleRetry(result);
    }
    this.#spool?.forget(this.#batch);
    if (result.status === 'refused') this.#queue.drop(this.#batch);
    this.#batch = [];
    return true;
  }

  async #trySend(body: Uint8Array): Promise<SendResult> {
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

  #scheduleRetry({ afterMs }: Extract<SendResult, { status: 'retryable' }>): false {
    this.#failures += 1;
    const delayMs = computeBackoffMs({ failures: this.#failures, afterMs, random: this.#random() });
    this.#notBeforeMs = afterMs === undefined ? 0 : Date.now() + delayMs;
    // What came while this was on its way may have asked for another attempt, too soon now.
    this.#timers.cancel('send');
    this.#sendIn(delayMs);
    return false;
  }
}
