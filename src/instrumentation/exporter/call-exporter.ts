// The exporter: encodes calls in time slices after their responses were sent, and sends them in batches, one
// request at a time. Calls that are not acknowledged soon are kept on disk. It never throws, never prints,
// and keeps the process alive only during `flush`.

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
  /**
   * Queues a call for encoding and sending. O(1), never throws; after `shutdown` it only counts the call as
   * dropped.
   */
  export(item: ExportItem): void;
  /** Starts sending the queued calls now, without blocking and without keeping the process alive. */
  flushInBackground(): void;
  /**
   * Synchronously writes unacknowledged calls to disk, for use at process exit. Blocks for the duration of
   * the write.
   *
   * @returns true when no call would be lost with the process
   */
  spillToDisk(): boolean;
  /**
   * Sends the queued calls. Keeps the process alive for at most `timeoutMs` (2,000 by default). It ends at
   * once when the receiver cannot be reached, and the calls stay queued. Never rejects.
   */
  flush(options?: { readonly timeoutMs?: number }): Promise<void>;
  /**
   * Flushes once more and releases all resources. Remaining calls are kept on disk or counted as dropped.
   * Never rejects.
   */
  shutdown(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Calls lost in this process: out of capacity, refused, or left at shutdown. */
  readonly dropped: number;
  /** Spans that the receiver rejected (`partialSuccess`). */
  readonly rejected: number;
}

/** Where calls are spooled; without it they wait only in memory. */
export type SpoolLocation = Pick<SpoolOptions, 'directory' | 'maxBytes'>;

export interface CallExporterOptions extends Omit<HttpTransportOptions, 'url'> {
  /** Full URL including the path; see `resolveTarget`. */
  readonly endpoint: string;
  readonly spool?: SpoolLocation | undefined;
  /**
   * Headers that select a tenant at the receiver. Calls spooled for one tenant are never sent to another.
   * None by default.
   */
  readonly tenantHeaders?: Readonly<Record<string, string>>;
  /** Interval (ms) of the search for segments that other processes left; 10,000 by default. */
  readonly adoptEveryMs?: number;
  /** Resource attributes of the process; attributes of a span's own resource take precedence. */
  readonly resource?: Attributes;
  /** Called for every failure; see `createFailureReporter`. */
  readonly onFailure?: (reason: string) => void;
  /** Replaces HTTP. */
  readonly transport?: ExporterTransport;
  /** In [0, 1); adds jitter to retries. */
  readonly random?: () => number;
}

/**
 * Delay (ms) of the first calls after a pause: short, so that a quiet server needs no disk. Later calls are
 * batched.
 */
const FLUSH_SOON_MS = 10;
const FLUSH_EVERY_MS = 500;
const FLUSH_AT_CALLS = 256;
/** Calls that are not acknowledged within this time (ms) are written to disk. */
const SPOOL_AFTER_MS = 30;
/** Delay (ms) before the next write after a disk error. */
const SPOOL_RETRY_MS = 10_000;
const MAX_QUEUED_CALLS = 10_000;
/**
 * Limit of the queue in bytes. With a batch in flight and results awaiting redaction, the total in the
 * process is 16 MiB.
 */
const MAX_QUEUE_BYTES = 10 * 1024 * 1024;
/** Bytes of encoded calls at which further calls stay unencoded, because that form is smaller. */
const MAX_ENCODED_BYTES = 3 * 1024 * 1024;
/**
 * Target size of a request body. It fits into a socket's buffers: a pending write would keep the process
 * alive.
 */
const TARGET_BODY_BYTES = 1024 * 1024;
/** Upper bound of a request body; only a single span may exceed TARGET_BODY_BYTES. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const SLICE_MS = 1;
/**
 * Pause between two slices, for the host's own work. It is a timer because an unref'd immediate does not run
 * while the event loop sleeps.
 */
const SLICE_INTERVAL_MS = 1;
/** Delay (ms) of the first search for orphaned segments; this one and the later ones have jitter. */
const FIRST_ADOPTION_MS = 100;
const ADOPT_EVERY_MS = 10_000;
/** Segments adopted in one search; other processes may be searching too. */
const MAX_ADOPTED_SEGMENTS = 16;

/** Creates an exporter with its own queue, timers and connection. */
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
  /** Timers and requests run in this async context, so that they do not inherit that of the first call. */
  readonly #context = new AsyncResource('toolscope.delivery', { requireManualDestroy: true });
  readonly #timers = createTimers();
  /** The batch in flight, or the failed batch that is retried first, with the same bytes. */
  #batch: readonly EncodedCall[] = [];
  #sending: Promise<boolean> | undefined;
  /** Start of the last attempt (milliseconds since the epoch). */
  #sentAtMs = 0;
  #failures = 0;
  /** Earliest time of the next attempt (milliseconds since the epoch), as requested by the receiver. */
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
    // This timer is the only thing here that keeps the process alive.
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

  /** Encodes calls up to the limit for encoded bytes. */
  #encodeToLimit(): void {
    while (this.#canEncode) this.#queue.encodeOne();
  }

  #scheduleEncoding(): void {
    if (this.#canEncode) this.#schedule('slice', SLICE_INTERVAL_MS, () => this.#runSlice());
  }

  #scheduleSend(): void {
    // The bound protects against a wall clock that was set back.
    const leftMs = Math.min(FLUSH_EVERY_MS, this.#sentAtMs + FLUSH_EVERY_MS - Date.now());
    this.#sendIn(Math.max(FLUSH_SOON_MS, leftMs));
  }

  #sendIn(delayMs: number): void {
    this.#schedule('send', delayMs, () => void this.#send());
  }

  /**
   * Writes unacknowledged calls to disk. While the receiver does not respond, they are then kept only there.
   */
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

  /** Moves calls from memory to disk. Returns false when they could not be written. */
  async #moveToSpool(calls: readonly EncodedCall[]): Promise<boolean> {
    if (this.#spool === undefined || !(await this.#spool.write(calls))) return calls.length === 0;
    this.#spool.release(calls);
    return true;
  }

  #scheduleAdoption(delayMs: number): void {
    this.#schedule('look', delayMs * (1 + this.#random()), () => void this.#adoptOrphans());
  }

  /** Adopts orphaned segments, while the receiver accepts requests. */
  async #adoptOrphans(): Promise<void> {
    const isBusy = this.#failures > 0 || (this.#spool?.backlog ?? 0) > 0;
    const adopted = isBusy ? 0 : ((await this.#spool?.adoptOrphans(MAX_ADOPTED_SEGMENTS)) ?? 0);
    if (adopted > 0) void this.#send();
    this.#scheduleAdoption(adopted === MAX_ADOPTED_SEGMENTS ? FIRST_ADOPTION_MS : this.#adoptEveryMs);
  }

  get #pendingCount(): number {
    return this.#batch.length + this.#queue.encoded + (this.#spool?.backlog ?? 0);
  }

  /** Sends everything that the receiver accepts until `deadline` (milliseconds since the epoch). */
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

  /**
   * Sends one batch, then all further full batches; false when one has to be retried. Only one run at a time.
   */
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
    // The last batch may still grow; many small requests would cost the host more than one.
    if (this.#queue.encoded > 0) this.#scheduleSend();
    return true;
  }

  /** Sends the batches that are only on disk. False when one has to be retried. */
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

  /** Sends one batch from memory. False when it has to be retried. */
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
    // Calls that arrived during the attempt may have scheduled another one, which is now too early.
    this.#timers.cancel('send');
    this.#sendIn(delayMs);
    return false;
  }
}
