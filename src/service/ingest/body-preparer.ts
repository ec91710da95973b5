// Chooses where bodies are prepared: small ones inline, large ones in a worker thread, so that a flood of
// spans leaves the main thread free for queries and refusals. The first large body starts the worker and does
// not wait for it. If the worker exits unexpectedly, its bodies are refused for a retry and a new worker
// starts; until it is ready large bodies are refused, because one of them may have caused the exit. Only if
// no worker can be started are large bodies prepared inline.

import { Worker } from 'node:worker_threads';
import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { RedactionOptions } from '../../core/values/redaction-options.ts';
import { type PreparationResult, type PreparedBody, prepareBody, type RawBody } from './prepare-body.ts';

export interface BodyPreparerOptions {
  readonly redaction: RedactionOptions;
  /** Fingerprint key for the worker; without it everything is prepared inline. */
  readonly workerFingerprintKey?: Uint8Array;
  /** Called when the worker exits unexpectedly. MUST NOT throw. */
  readonly onWorkerExit?: () => void;
}

export interface PrepareWorkerData {
  readonly capture: CaptureMode;
  /** Fingerprint key. */
  readonly key: Uint8Array;
}

export interface PrepareRequest {
  readonly id: number;
  readonly body: RawBody;
}

export type PrepareResponse =
  | { readonly isReady: true }
  | { readonly id: number; readonly result: PreparedBody }
  | { readonly id: number; readonly failure: string };

interface PendingRequest {
  readonly resolve: (result: PreparationResult) => void;
  readonly reject: (error: Error) => void;
}

/** No worker when running from source: Node 20 workers cannot load files that need compilation. */
const IS_BUILT = import.meta.url.endsWith('.js');
/** About twenty spans: one to two milliseconds. */
const MAX_INLINE_BYTES = 16 * 1024;
/**
 * Decoded spans of a body live until its rows are written; a larger young generation avoids moving them.
 * Doubling it takes 60 MB more process memory and saves no time (25,000 spans in bodies of 5,000: 320 MB
 * against 384). Megabytes.
 */
const YOUNG_GENERATION_MB = 48;
/** After this many consecutive failed starts no worker is used. */
const MAX_FAILED_STARTS = 3;

export class BodyPreparer {
  readonly #options: BodyPreparerOptions;
  readonly #pending = new Map<number, PendingRequest>();
  #worker: Worker | undefined;
  #isReady = false;
  #isClosed = false;
  /** Unexpected exits since a worker was last ready. */
  #failedStarts = 0;
  #lastRequestId = 0;

  constructor(options: BodyPreparerOptions) {
    this.#options = options;
  }

  /** Prepares a body and may transfer its bytes. Rejects only for a bug. */
  prepare(body: RawBody): Promise<PreparationResult> {
    if (body.bytes.length <= MAX_INLINE_BYTES) return prepareBody(body, this.#options.redaction);
    const worker = this.#readyWorker();
    if (worker === undefined)
      return this.#isRestarting
        ? Promise.resolve({ status: 'unavailable' })
        : prepareBody(body, this.#options.redaction);
    this.#lastRequestId += 1;
    const request: PrepareRequest = { id: this.#lastRequestId, body };
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject });
      // Keeps the process alive while a result is pending.
      worker.ref();
      worker.postMessage(request, toTransferList(body.bytes));
    });
  }

  /** Whether a new worker is starting after an exit. */
  get #isRestarting(): boolean {
    return this.#worker !== undefined && this.#failedStarts > 0;
  }

  /** The worker if it is ready; otherwise starts it for later bodies. */
  #readyWorker(): Worker | undefined {
    const { redaction, workerFingerprintKey } = this.#options;
    if (workerFingerprintKey === undefined || !IS_BUILT || this.#failedStarts >= MAX_FAILED_STARTS)
      return undefined;
    this.#worker ??= this.#start({ capture: redaction.capture, key: workerFingerprintKey });
    return this.#isReady ? this.#worker : undefined;
  }

  /** Terminates the worker; its pending bodies are not prepared. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(start: PrepareWorkerData): Worker {
    const worker = new Worker(new URL('./prepare-worker.js', import.meta.url), {
      workerData: start,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.unref();
    worker.on('message', (response: PrepareResponse) => this.#onMessage(response, worker));
    // An error is followed by the exit event.
    worker.on('error', () => undefined);
    worker.on('exit', () => this.#onExit(worker));
    return worker;
  }

  #onMessage(response: PrepareResponse, worker: Worker): void {
    if ('isReady' in response) {
      this.#isReady = true;
      this.#failedStarts = 0;
      return;
    }
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if (this.#pending.size === 0) worker.unref();
    if ('result' in response) pending?.resolve(response.result);
    else pending?.reject(new Error(response.failure));
  }

  #onExit(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#isReady = false;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { resolve } of lost) resolve({ status: 'unavailable' });
    if (this.#isClosed) return;
    this.#failedStarts += 1;
    this.#options.onWorkerExit?.();
    this.#readyWorker();
  }
}

/** Transferable memory that belongs to these bytes alone; slices of a pool are copied instead. */
function toTransferList({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
