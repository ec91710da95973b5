// The observing thread, seen from the one that forwards. What it has not read yet is bounded in bytes: beyond that, bytes are
// forwarded unseen. If it ends, whatever happened to it, everything passes.

import { Worker } from 'node:worker_threads';
import { now } from '../wrapper/clock.ts';
import {
  type ForwardDecision,
  type ObserverWorkerData,
  SHARED_SLOTS,
  type TrafficPart,
  type TrafficSource,
  type WorkerReply,
  type WorkerRequest,
} from './worker-messages.ts';

export interface TrafficObserver {
  /** Whether nothing of the client's may go on before it is ruled about. */
  readonly isGating: boolean;
  /** A chunk that went on. */
  onPassed(from: TrafficSource, chunk: Uint8Array): void;
  /** A chunk that waits for a ruling. */
  onHeld(from: TrafficSource, chunk: Uint8Array): void;
  /** A direction is over. */
  onEnded(from: TrafficSource): void;
  /** Hears each ruling, in order. `failed` means that there will be none any more. */
  onDecision(listener: (ruling: ForwardDecision | 'failed') => void): void;
  /** Starts the thread; until then, what it is to hear is kept. */
  start(): void;
  /** Ends all calls and the thread. @returns the lines that were not understood. Never rejects. */
  close(timeoutMs: number): Promise<number>;
}

/** Bytes that may wait to be observed. */
const MAX_UNOBSERVED_BYTES = 16 * 1024 * 1024;

/** Parts wait for each other so long (ms), or for so many bytes: waking a thread costs as much as a call. */
const BATCH_MS = 5;
const BATCH_BYTES = 256 * 1024;

/**
 * How long (ms) the thread works after the end on what waits, its own loading included; then it counts it. On a busy machine
 * that takes longer.
 */
const MAX_CATCH_UP_CPU_MS = 1_000;

/** How long (ms) it may take in all, beyond the time it has to deliver: then nobody waits for it. */
const CLOSE_TIMEOUT_MS = 10_000;

const WORKER_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 4 };

/** Creates an observer that is not started yet. */
export function createTrafficObserver(start: Omit<ObserverWorkerData, 'shared'>): TrafficObserver {
  return new WorkerTrafficObserver(start);
}

class WorkerTrafficObserver implements TrafficObserver {
  readonly isGating: boolean;
  readonly #start: ObserverWorkerData;
  readonly #shared: Int32Array;
  readonly #missed: Record<TrafficSource, number> = { client: 0, server: 0 };
  #worker: Worker | undefined;
  #isEnded = false;
  #parts: TrafficPart[] = [];
  #batchBytes = 0;
  #postedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #onRuling: (ruling: ForwardDecision | 'failed') => void = () => {};
  #onClosed: (unreadLines: number) => void = () => {};

  constructor(start: Omit<ObserverWorkerData, 'shared'>) {
    const shared = new SharedArrayBuffer(8);
    this.#start = { ...start, shared };
    this.#shared = new Int32Array(shared);
    this.isGating = start.guard !== undefined && start.guard.mode !== 'observe';
  }

  onPassed(from: TrafficSource, chunk: Uint8Array): void {
    if (this.#isEnded) return;
    if (this.#waitingBytes() + chunk.length > MAX_UNOBSERVED_BYTES) {
      this.#missed[from] += chunk.length;
      return;
    }
    this.#queuePart(from, chunk, false);
    if (this.#batchBytes >= BATCH_BYTES) this.#post();
    else this.#timer ??= setTimeout(() => this.#post(), BATCH_MS);
  }

  onHeld(from: TrafficSource, chunk: Uint8Array): void {
    if (this.#isEnded) return;
    this.#queuePart(from, chunk, true);
    this.#post();
  }

  onEnded(from: TrafficSource): void {
    if (this.#isEnded) return;
    this.#queueGap(from);
    this.#parts.push({ kind: 'end', from });
    this.#post();
  }

  onDecision(listener: (ruling: ForwardDecision | 'failed') => void): void {
    this.#onRuling = listener;
  }

  start(): void {
    try {
      this.#worker = new Worker(new URL('./observer-worker.js', import.meta.url), {
        workerData: this.#start,
        resourceLimits: WORKER_LIMITS,
        // Its own streams: those of the process are the server's.
        stdout: true,
        stderr: true,
      });
    } catch {
      this.#fail();
      return;
    }
    this.#worker.on('message', (answer: WorkerReply) => this.#receive(answer));
    this.#worker.on('error', () => this.#fail());
    this.#worker.on('exit', () => this.#fail());
    this.#post();
  }

  async close(timeoutMs: number): Promise<number> {
    if (this.#isEnded || this.#worker === undefined) return 0;
    const closed = new Promise<number>((resolve) => {
      this.#onClosed = resolve;
      setTimeout(() => resolve(0), timeoutMs + CLOSE_TIMEOUT_MS).unref();
    });
    const checking = this.#limitCatchUp();
    this.#post();
    this.#send({ kind: 'close', timeoutMs }, []);
    const unreadLines = await closed;
    clearInterval(checking);
    this.#isEnded = true;
    return unreadLines;
  }

  /** Nothing else runs in this process by then, so that its time on the processor is the thread's. */
  #limitCatchUp(): NodeJS.Timeout {
    const before = process.cpuUsage();
    return setInterval(() => {
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1_000 >= MAX_CATCH_UP_CPU_MS) Atomics.store(this.#shared, SHARED_SLOTS.isLate, 1);
    }, MAX_CATCH_UP_CPU_MS / 20);
  }

  #receive(answer: WorkerReply): void {
    if (answer.kind === 'closed') this.#onClosed(answer.unreadLines);
    else for (const ruling of answer.rulings) this.#onRuling(ruling);
  }

  #fail(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#parts = [];
    clearTimeout(this.#timer);
    this.#onRuling('failed');
    this.#onClosed(0);
  }

  #waitingBytes(): number {
    return (this.#postedBytes - Atomics.load(this.#shared, SHARED_SLOTS.observedBytes)) | 0;
  }

  #queuePart(from: TrafficSource, chunk: Uint8Array, isHeld: boolean): void {
    this.#queueGap(from);
    // A copy of its own: the chunk may wait in a stream, and its memory may be shared with others.
    this.#parts.push({ kind: 'bytes', from, at: now(), bytes: new Uint8Array(chunk), isHeld });
    this.#batchBytes += chunk.length;
    this.#postedBytes = (this.#postedBytes + chunk.length) | 0;
  }

  #queueGap(from: TrafficSource): void {
    if (this.#missed[from] === 0) return;
    this.#parts.push({ kind: 'gap', from, at: now(), length: this.#missed[from] });
    this.#missed[from] = 0;
  }

  #post(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#worker === undefined || this.#parts.length === 0) return;
    const parts = this.#parts;
    this.#parts = [];
    this.#batchBytes = 0;
    const buffers = parts.flatMap((part) => (part.kind === 'bytes' ? [part.bytes.buffer] : []));
    this.#send({ kind: 'parts', parts }, buffers as ArrayBuffer[]);
  }

  #send(order: WorkerRequest, transferred: ArrayBuffer[]): void {
    this.#worker?.postMessage(order, transferred);
  }
}
