// Who prepares bodies, and where: small ones here and now, large ones in a thread of their own, so that a flood of spans
// leaves this thread free for questions and refusals. The thread starts with the first large body, which does not wait
// for it. When it ends unasked, what it had is refused, to be sent again, and another starts at once; until that is up large
// bodies are refused, for the one that ended it may be among them. Only where none comes up any more are they prepared here.

import { Worker } from 'node:worker_threads';
import type { RedactionOptions } from '../../core/values/redact-values.ts';
import { type PreparationResult, prepareBody, type RawBody } from './prepare-body.ts';
import type { PrepareRequest, PrepareResponse, PrepareWorkerData } from './prepare-messages.ts';

export interface BodyPreparerOptions {
  readonly redaction: RedactionOptions;
  /** Key of the fingerprints, for a thread; without it everything is prepared here. */
  readonly workerFingerprintKey?: Uint8Array;
  /** Called when the thread ended unasked. MUST NOT throw. */
  readonly onWorkerExit?: () => void;
}

interface PendingRequest {
  readonly resolve: (result: PreparationResult) => void;
  readonly reject: (error: Error) => void;
}

/** What runs from its sources has no thread: in one, Node 20 loads nothing that has to be compiled first. */
const IS_BUILT = import.meta.url.endsWith('.js');
/** Up to some twenty spans: a millisecond or two. */
const MAX_INLINE_BYTES = 16 * 1024;
/**
 * Decoded spans of one body live until its rows are written: with room for them fewer are moved about. Twice as much takes 60 MB more of
 * the process and no less time (25,000 spans in bodies of 5,000: 320 MB against 384). Megabytes.
 */
const YOUNG_GENERATION_MB = 48;
/** Threads that ended in a row before they were up; then there is none to be had. */
const MAX_FAILED_STARTS = 3;

export class BodyPreparer {
  readonly #options: BodyPreparerOptions;
  readonly #pending = new Map<number, PendingRequest>();
  #worker: Worker | undefined;
  #isReady = false;
  #isClosed = false;
  /** Threads that ended unasked since one was up. */
  #failedStarts = 0;
  #lastRequestId = 0;

  constructor(options: BodyPreparerOptions) {
    this.#options = options;
  }

  /** Prepares a body; its bytes may be gone afterwards. Rejects only for a bug. */
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
      // While something is awaited the process has a reason to live.
      worker.ref();
      worker.postMessage(request, toTransferList(body.bytes));
    });
  }

  /** Whether a thread starts in place of one that ended. */
  get #isRestarting(): boolean {
    return this.#worker !== undefined && this.#failedStarts > 0;
  }

  /** The thread, if there may be one and it is up; else it is started for those who come later. */
  #readyWorker(): Worker | undefined {
    const { redaction, workerFingerprintKey } = this.#options;
    if (workerFingerprintKey === undefined || !IS_BUILT || this.#failedStarts >= MAX_FAILED_STARTS)
      return undefined;
    this.#worker ??= this.#start({ capture: redaction.capture, key: workerFingerprintKey });
    return this.#isReady ? this.#worker : undefined;
  }

  /** Ends the thread. What it had is not prepared. */
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
    // An error is followed by the exit.
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

/** Memory that belongs to these bytes alone and can be handed over; a part of a pool is copied instead. */
function toTransferList({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
