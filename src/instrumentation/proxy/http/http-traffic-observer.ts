// The main thread's interface to the thread that observes HTTP traffic. Unread bytes are limited; beyond the limit,
// bytes are forwarded without observation. If the thread ends for any reason, all traffic passes.

import { Worker } from 'node:worker_threads';
import {
  BATCH_BYTES,
  BATCH_MS,
  CLOSE_TIMEOUT_MS,
  MAX_UNOBSERVED_BYTES,
  WORKER_LIMITS,
} from '../observer-limits.ts';
import type { ObserverSettings } from '../worker-messages.ts';
import type { HttpPart } from './http-part.ts';

export interface HttpWorkerData {
  readonly settings: ObserverSettings;
  /** One number: the bytes observed so far, modulo 2^32. */
  readonly observedBytes: Int32Array;
}

export type HttpWorkerRequest =
  | { readonly kind: 'parts'; readonly parts: readonly HttpPart[] }
  /** Ends open calls; pending calls are spooled or sent within `timeoutMs`. */
  | { readonly kind: 'close'; readonly timeoutMs: number };

export class HttpTrafficObserver {
  readonly #observedBytes = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;
  #isEnded = false;
  #parts: HttpPart[] = [];
  #batchBytes = 0;
  #reportedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #onClosed: () => void = () => {};

  constructor(settings: ObserverSettings) {
    const workerData: HttpWorkerData = { settings, observedBytes: this.#observedBytes };
    this.#worker = new Worker(new URL('./http-worker.js', import.meta.url), {
      workerData,
      resourceLimits: WORKER_LIMITS,
    });
    this.#worker.on('message', () => this.#onClosed());
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /** The bytes of the part are copied. */
  report(part: HttpPart): void {
    if (this.#isEnded) return;
    this.#parts.push(part.kind === 'bytes' ? this.#copy(part) : part);
    if (this.#batchBytes >= BATCH_BYTES) this.#post();
    else this.#timer ??= setTimeout(() => this.#post(), BATCH_MS).unref();
  }

  /** Ends all calls and the thread. Never rejects. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#isEnded) return;
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      setTimeout(resolve, timeoutMs + CLOSE_TIMEOUT_MS).unref();
    });
    this.#post();
    const request: HttpWorkerRequest = { kind: 'close', timeoutMs };
    this.#worker.postMessage(request);
    await closed;
    this.#isEnded = true;
    await this.#worker.terminate();
  }

  #copy(part: Extract<HttpPart, { readonly kind: 'bytes' }>): HttpPart {
    const { exchange, at, from } = part;
    const waitingBytes = (this.#reportedBytes - Atomics.load(this.#observedBytes, 0)) | 0;
    if (waitingBytes + part.bytes.length > MAX_UNOBSERVED_BYTES) return { kind: 'gap', exchange, at, from };
    this.#batchBytes += part.bytes.length;
    this.#reportedBytes = (this.#reportedBytes + part.bytes.length) | 0;
    return { ...part, bytes: new Uint8Array(part.bytes) };
  }

  #post(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isEnded || this.#parts.length === 0) return;
    const request: HttpWorkerRequest = { kind: 'parts', parts: this.#parts };
    const memory = this.#parts.flatMap((part) => (part.kind === 'bytes' ? part.bytes.buffer : []));
    this.#parts = [];
    this.#batchBytes = 0;
    this.#worker.postMessage(request, memory as ArrayBuffer[]);
  }

  #end(): void {
    this.#isEnded = true;
    this.#parts = [];
    clearTimeout(this.#timer);
    this.#onClosed();
  }
}
