// Who prepares bodies, and where: small ones here and now, large ones in a thread of their own, so that a flood of spans
// leaves this thread free for questions and refusals. The thread starts with the first large body, which does not wait
// for it. When it ends unasked, what it had is refused, to be sent again, and another starts at once; until that is up large
// bodies are refused, for the one that ended it may be among them. Only where none comes up any more are they prepared here.

import { Worker } from 'node:worker_threads';
import type { Reduction } from '../../core/values/reduction.ts';
import { type Preparation, prepareBody, type RawBody } from './prepare-body.ts';
import type { ThreadAnswer, ThreadOrder, ThreadStart } from './prepare-messages.ts';

export interface BodyPreparerOptions {
  readonly reduction: Reduction;
  /** Key of the fingerprints, for a thread; without it everything is prepared here. */
  readonly threadKey?: Uint8Array;
  /** Called when the thread ended unasked. MUST NOT throw. */
  readonly onEnded?: () => void;
}

interface Awaited {
  readonly resolve: (result: Preparation) => void;
  readonly reject: (error: Error) => void;
}

/** What runs from its sources has no thread: in one, Node 20 loads nothing that has to be compiled first. */
const IS_BUILT = import.meta.url.endsWith('.js');
/** Up to some twenty spans: a millisecond or two. */
const SMALL_BYTES = 16 * 1024;
/**
 * Decoded spans of one body live until its rows are written: with room for them fewer are moved about. Twice as much takes 60 MB more of
 * the process and no less time (25,000 spans in bodies of 5,000: 320 MB against 384). Megabytes.
 */
const YOUNG_MEGABYTES = 48;
/** Threads that ended in a row before they were up; then there is none to be had. */
const MOST_STARTS = 3;

export class BodyPreparer {
  readonly #options: BodyPreparerOptions;
  readonly #awaited = new Map<number, Awaited>();
  #thread: Worker | undefined;
  #isReady = false;
  #isClosed = false;
  /** Threads that ended unasked since one was up. */
  #ended = 0;
  #orders = 0;

  constructor(options: BodyPreparerOptions) {
    this.#options = options;
  }

  /** Prepares a body; its bytes may be gone afterwards. Rejects only for a bug. */
  prepare(body: RawBody): Promise<Preparation> {
    if (body.bytes.length <= SMALL_BYTES) return prepareBody(body, this.#options.reduction);
    const thread = this.#readyThread();
    if (thread === undefined)
      return this.#isComing
        ? Promise.resolve({ status: 'unavailable' })
        : prepareBody(body, this.#options.reduction);
    this.#orders += 1;
    const order: ThreadOrder = { id: this.#orders, body };
    return new Promise((resolve, reject) => {
      this.#awaited.set(order.id, { resolve, reject });
      // While something is awaited the process has a reason to live.
      thread.ref();
      thread.postMessage(order, ownMemory(body.bytes));
    });
  }

  /** Whether a thread starts in place of one that ended. */
  get #isComing(): boolean {
    return this.#thread !== undefined && this.#ended > 0;
  }

  /** The thread, if there may be one and it is up; else it is started for those who come later. */
  #readyThread(): Worker | undefined {
    const { reduction, threadKey } = this.#options;
    if (threadKey === undefined || !IS_BUILT || this.#ended >= MOST_STARTS) return undefined;
    this.#thread ??= this.#start({ capture: reduction.capture, key: threadKey });
    return this.#isReady ? this.#thread : undefined;
  }

  /** Ends the thread. What it had is not prepared. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.terminate();
  }

  #start(start: ThreadStart): Worker {
    const thread = new Worker(new URL('./prepare-thread.js', import.meta.url), {
      workerData: start,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    thread.unref();
    thread.on('message', (answer: ThreadAnswer) => this.#settle(answer, thread));
    // An error is followed by the exit.
    thread.on('error', () => undefined);
    thread.on('exit', () => this.#forget(thread));
    return thread;
  }

  #settle(answer: ThreadAnswer, thread: Worker): void {
    if ('isReady' in answer) {
      this.#isReady = true;
      this.#ended = 0;
      return;
    }
    const awaited = this.#awaited.get(answer.id);
    this.#awaited.delete(answer.id);
    if (this.#awaited.size === 0) thread.unref();
    if ('result' in answer) awaited?.resolve(answer.result);
    else awaited?.reject(new Error(answer.failure));
  }

  #forget(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#isReady = false;
    const lost = [...this.#awaited.values()];
    this.#awaited.clear();
    for (const { resolve } of lost) resolve({ status: 'unavailable' });
    if (this.#isClosed) return;
    this.#ended += 1;
    this.#options.onEnded?.();
    this.#readyThread();
  }
}

/** Memory that belongs to these bytes alone and can be handed over; a part of a pool is copied instead. */
function ownMemory({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
