// The observing thread, seen from the one that forwards. What it has not read yet is bounded in bytes: beyond that, bytes are
// forwarded unseen. If it ends, whatever happened to it, everything passes.

import { Worker } from 'node:worker_threads';
import { now } from '../wrapper/clock.ts';
import {
  type Answer,
  type ObserverStart,
  type Order,
  type Part,
  type Ruling,
  type Sender,
  SHARED,
} from './thread-messages.ts';

export interface TrafficObserver {
  /** Whether nothing of the client's may go on before it is ruled about. */
  readonly gates: boolean;
  /** A chunk that went on. */
  passed(from: Sender, chunk: Uint8Array): void;
  /** A chunk that waits for a ruling. */
  held(from: Sender, chunk: Uint8Array): void;
  /** A direction is over. */
  ended(from: Sender): void;
  /** Hears each ruling, in order. `failed` means that there will be none any more. */
  onRuling(listener: (ruling: Ruling | 'failed') => void): void;
  /** Starts the thread; until then, what it is to hear is kept. */
  start(): void;
  /** Ends all calls and the thread. @returns the lines that were not understood. Never rejects. */
  close(timeoutMs: number): Promise<number>;
}

/** Bytes that may wait to be observed. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Parts wait for each other so long (ms), or for so many bytes: waking a thread costs as much as a call. */
const GATHER_MS = 5;
const GATHER_BYTES = 256 * 1024;

/**
 * How long (ms) the thread works after the end on what waits, its own loading included; then it counts it. On a busy machine
 * that takes longer.
 */
const CATCH_UP_MS = 1_000;

/** How long (ms) it may take in all, beyond the time it has to deliver: then nobody waits for it. */
const PATIENCE_MS = 10_000;

const THREAD_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 4 };

/** Creates an observer that is not started yet. */
export function createThreadObserver(start: Omit<ObserverStart, 'shared'>): TrafficObserver {
  return new ThreadObserver(start);
}

class ThreadObserver implements TrafficObserver {
  readonly gates: boolean;
  readonly #start: ObserverStart;
  readonly #shared: Int32Array;
  readonly #missed: Record<Sender, number> = { client: 0, server: 0 };
  #thread: Worker | undefined;
  #isGone = false;
  #parts: Part[] = [];
  #gatheredBytes = 0;
  #givenBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #onRuling: (ruling: Ruling | 'failed') => void = () => {};
  #onClosed: (unreadLines: number) => void = () => {};

  constructor(start: Omit<ObserverStart, 'shared'>) {
    const shared = new SharedArrayBuffer(8);
    this.#start = { ...start, shared };
    this.#shared = new Int32Array(shared);
    this.gates = start.guard !== undefined && start.guard.mode !== 'observe';
  }

  passed(from: Sender, chunk: Uint8Array): void {
    if (this.#isGone) return;
    if (this.#waitingBytes() + chunk.length > MAX_WAITING_BYTES) {
      this.#missed[from] += chunk.length;
      return;
    }
    this.#keep(from, chunk, false);
    if (this.#gatheredBytes >= GATHER_BYTES) this.#post();
    else this.#timer ??= setTimeout(() => this.#post(), GATHER_MS);
  }

  held(from: Sender, chunk: Uint8Array): void {
    if (this.#isGone) return;
    this.#keep(from, chunk, true);
    this.#post();
  }

  ended(from: Sender): void {
    if (this.#isGone) return;
    this.#tellMissed(from);
    this.#parts.push({ kind: 'end', from });
    this.#post();
  }

  onRuling(listener: (ruling: Ruling | 'failed') => void): void {
    this.#onRuling = listener;
  }

  start(): void {
    try {
      this.#thread = new Worker(new URL('./observer-thread.js', import.meta.url), {
        workerData: this.#start,
        resourceLimits: THREAD_LIMITS,
        // Its own streams: those of the process are the server's.
        stdout: true,
        stderr: true,
      });
    } catch {
      this.#fail();
      return;
    }
    this.#thread.on('message', (answer: Answer) => this.#hear(answer));
    this.#thread.on('error', () => this.#fail());
    this.#thread.on('exit', () => this.#fail());
    this.#post();
  }

  async close(timeoutMs: number): Promise<number> {
    if (this.#isGone || this.#thread === undefined) return 0;
    const closed = new Promise<number>((resolve) => {
      this.#onClosed = resolve;
      setTimeout(() => resolve(0), timeoutMs + PATIENCE_MS).unref();
    });
    const checking = this.#endCatchingUp();
    this.#post();
    this.#send({ kind: 'close', timeoutMs }, []);
    const unreadLines = await closed;
    clearInterval(checking);
    this.#isGone = true;
    return unreadLines;
  }

  /** Nothing else runs in this process by then, so that its time on the processor is the thread's. */
  #endCatchingUp(): NodeJS.Timeout {
    const before = process.cpuUsage();
    return setInterval(() => {
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1_000 >= CATCH_UP_MS) Atomics.store(this.#shared, SHARED.isLate, 1);
    }, CATCH_UP_MS / 20);
  }

  #hear(answer: Answer): void {
    if (answer.kind === 'closed') this.#onClosed(answer.unreadLines);
    else for (const ruling of answer.rulings) this.#onRuling(ruling);
  }

  #fail(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#parts = [];
    clearTimeout(this.#timer);
    this.#onRuling('failed');
    this.#onClosed(0);
  }

  #waitingBytes(): number {
    return (this.#givenBytes - Atomics.load(this.#shared, SHARED.observedBytes)) | 0;
  }

  #keep(from: Sender, chunk: Uint8Array, isHeld: boolean): void {
    this.#tellMissed(from);
    // A copy of its own: the chunk may wait in a stream, and its memory may be shared with others.
    this.#parts.push({ kind: 'bytes', from, at: now(), bytes: new Uint8Array(chunk), isHeld });
    this.#gatheredBytes += chunk.length;
    this.#givenBytes = (this.#givenBytes + chunk.length) | 0;
  }

  #tellMissed(from: Sender): void {
    if (this.#missed[from] === 0) return;
    this.#parts.push({ kind: 'gap', from, at: now(), length: this.#missed[from] });
    this.#missed[from] = 0;
  }

  #post(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#thread === undefined || this.#parts.length === 0) return;
    const parts = this.#parts;
    this.#parts = [];
    this.#gatheredBytes = 0;
    const buffers = parts.flatMap((part) => (part.kind === 'bytes' ? [part.bytes.buffer] : []));
    this.#send({ kind: 'parts', parts }, buffers as ArrayBuffer[]);
  }

  #send(order: Order, transferred: ArrayBuffer[]): void {
    this.#thread?.postMessage(order, transferred);
  }
}
