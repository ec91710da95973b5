// Who prepares bodies, and where: small ones here and now, large ones in a thread of their own, so that a flood of spans
// leaves this thread free for questions and refusals. The thread starts with the first large body, which does not wait
// for it. When it dies, what it had is refused, to be sent again, and the next large body starts another.

import { Worker } from 'node:worker_threads';
import type { Reduction } from '../../core/values/reduction.ts';
import { type PreparedBody, prepareBody, type RawBody } from './prepare-body.ts';
import type { ThreadAnswer, ThreadOrder, ThreadStart } from './prepare-messages.ts';

export interface BodyPreparerOptions {
  readonly reduction: Reduction;
  /** Key of the fingerprints, for a thread; without it everything is prepared here. */
  readonly threadKey?: Uint8Array;
}

interface Awaited {
  readonly resolve: (result: PreparedBody) => void;
  readonly reject: (error: Error) => void;
}

/** What runs from its sources has no thread: in one, Node 20 loads nothing that has to be compiled first. */
const IS_BUILT = import.meta.url.endsWith('.js');
/** Up to some twenty spans: a millisecond or two. */
const SMALL_BYTES = 16 * 1024;
/** Decoded spans of one body live until its rows are written: with room for them fewer are moved about. Megabytes. */
const YOUNG_MEGABYTES = 96;

export class BodyPreparer {
  readonly #options: BodyPreparerOptions;
  readonly #awaited = new Map<number, Awaited>();
  #thread: Worker | undefined;
  #isReady = false;
  #orders = 0;

  constructor(options: BodyPreparerOptions) {
    this.#options = options;
  }

  /** Prepares a body; its bytes may be gone afterwards. Rejects when the thread died over it. */
  prepare(body: RawBody): Promise<PreparedBody> {
    const thread = body.bytes.length > SMALL_BYTES ? this.#readyThread() : undefined;
    if (thread === undefined) return prepareBody(body, this.#options.reduction);
    this.#orders += 1;
    const order: ThreadOrder = { id: this.#orders, body };
    return new Promise((resolve, reject) => {
      this.#awaited.set(order.id, { resolve, reject });
      // While something is awaited the process has a reason to live.
      thread.ref();
      thread.postMessage(order, ownMemory(body.bytes));
    });
  }

  /** The thread, if there may be one and it is up; else it is started for those who come later. */
  #readyThread(): Worker | undefined {
    const { reduction, threadKey } = this.#options;
    if (threadKey === undefined || !IS_BUILT) return undefined;
    this.#thread ??= this.#start({ capture: reduction.capture, key: threadKey });
    return this.#isReady ? this.#thread : undefined;
  }

  /** Ends the thread. What it had is rejected. */
  async close(): Promise<void> {
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
    for (const { reject } of lost) reject(new Error('The thread that prepares bodies has ended.'));
  }
}

/** Memory that belongs to these bytes alone and can be handed over; a part of a pool is copied instead. */
function ownMemory({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
