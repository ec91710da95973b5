// Work that waits for a pause in the traffic, done in steps between the host's own turns: right behind each answer it
// would leave cold caches to the next call (measured: 100 µs more at p99). It never keeps a process alive, and it gives
// up the oldest work rather than grow without bound.

import { AsyncResource } from 'node:async_hooks';
import { neverThrow } from './never-throw.ts';
import { createWaitingBytes } from './waiting-bytes.ts';

/** Time (ms) after which no further step is begun in a turn of the host's event loop; one takes 0.25 ms at most. */
const SLICE_MS = 0.7;

/** Between two slices (ms) the host has its turn. */
const BETWEEN_SLICES_MS = 1;

/** A pause (ms) in which nothing new came. */
const PAUSE_MS = 5;

/** Work that has waited so long (ms) is begun without a pause. */
const LONGEST_WAIT_MS = 50;

const MOST_WAITING = 10_000;

/** Work that may wait without its size being known: sizes are taken outside of the call, and inside it only of a burst. */
const MOST_UNWEIGHED = 8;

export interface ReductionQueue<Work> {
  push(work: Work): void;
  /**
   * Does everything that waits, now, or as much of it as can be done in `budgetMs`. Where others have the processor
   * meanwhile, their time is not counted: a busy machine costs no calls.
   */
  drain(budgetMs?: number): void;
}

export interface ReductionQueueOptions<Work> {
  /** Does a piece of work step by step; what it throws ends that piece and nothing else. */
  readonly steps: (work: Work) => Iterator<undefined, void>;
  /** Hears of work that was given up for want of room. */
  readonly dropped: (work: Work) => void;
  /** Heap bytes, about, that a piece of work holds on to. */
  readonly weigh: (work: Work) => number;
  /** Takes away most of what a piece of work holds on to; it stays in the queue. Asked where there is no room for its bytes. */
  readonly lighten: (work: Work) => void;
}

/** Work that waits, and the bytes that are counted for it: 0 until it is weighed. */
interface Waiting<Work> {
  readonly work: Work;
  bytes: number;
}

/** Creates a queue that works by itself. */
export function createReductionQueue<Work>({
  steps,
  dropped,
  weigh,
  lighten,
}: ReductionQueueOptions<Work>): ReductionQueue<Work> {
  let waiting: (Waiting<Work> | undefined)[] = [];
  let at = 0;
  let unweighed: Waiting<Work>[] = [];
  const bytes = createWaitingBytes();
  let current: Iterator<undefined, void> | undefined;
  let currentBytes = 0;
  let scheduled = false;
  let firstMs = 0;
  let lastMs = 0;
  // Slices start from here, so that they do not hold on to the call, or the host's span, during which they were asked for.
  const context = new AsyncResource('toolscope.reduction', { requireManualDestroy: true });

  function shift(): Waiting<Work> | undefined {
    const one = waiting[at];
    // What was taken must not be held until the list is cut: it holds a result.
    waiting[at] = undefined;
    at += 1;
    if (at === waiting.length || at > 1_024) {
      waiting = waiting.slice(at);
      at = 0;
    }
    return one;
  }

  /** Weighs what came last; what finds no room is lightened, rather than what has waited longer. */
  function weighNew(): void {
    for (const one of unweighed) {
      const weight = neverThrow(() => weigh(one.work), 0);
      if (bytes.take(weight)) one.bytes = weight;
      else neverThrow(() => lighten(one.work));
    }
    unweighed = [];
  }

  function begin(): boolean {
    const next = shift();
    if (next === undefined) return false;
    current = steps(next.work);
    currentBytes = next.bytes;
    return true;
  }

  function end(): void {
    current = undefined;
    bytes.release(currentBytes);
    currentBytes = 0;
  }

  /** @returns whether there was anything to do. */
  function step(): boolean {
    if (current === undefined && !begin()) return false;
    const running = current;
    if (neverThrow(() => running?.next().done, true)) end();
    return true;
  }

  function slice(): void {
    scheduled = false;
    weighNew();
    const until = performance.now() + SLICE_MS;
    while (step()) {
      if (performance.now() < until) continue;
      scheduled = true;
      // Not an immediate: one that is unref'd sleeps as long as the event loop does.
      context.runInAsyncScope(setTimeout, undefined, slice, BETWEEN_SLICES_MS).unref();
      return;
    }
  }

  function sliceAtPause(): void {
    weighNew();
    const nowMs = performance.now();
    if (nowMs - lastMs >= PAUSE_MS || nowMs - firstMs >= LONGEST_WAIT_MS) slice();
    else waitForPause();
  }

  function waitForPause(): void {
    context.runInAsyncScope(setTimeout, undefined, sliceAtPause, PAUSE_MS).unref();
  }

  return {
    push(work) {
      if (waiting.length - at >= MOST_WAITING) {
        weighNew();
        const oldest = shift();
        bytes.release(oldest?.bytes ?? 0);
        if (oldest !== undefined) neverThrow(() => dropped(oldest.work));
      }
      const one = { work, bytes: 0 };
      waiting.push(one);
      unweighed.push(one);
      if (unweighed.length > MOST_UNWEIGHED) weighNew();
      lastMs = performance.now();
      if (scheduled) return;
      scheduled = true;
      firstMs = lastMs;
      waitForPause();
    },
    drain(budgetMs = Number.POSITIVE_INFINITY) {
      weighNew();
      const isOver = startBudget(budgetMs);
      while (!isOver() && step());
    },
  };
}

/** Over once so much time has passed and this process has worked as long; its other threads may have, too. */
function startBudget(budgetMs: number): () => boolean {
  const deadlineMs = performance.now() + budgetMs;
  const before = process.cpuUsage();
  return () => {
    if (performance.now() < deadlineMs) return false;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 >= budgetMs;
  };
}
