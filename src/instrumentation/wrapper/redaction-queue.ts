// Work that waits for a pause in the traffic, done in steps between the host's own turns: right behind each answer it
// would leave cold caches to the next call (measured: 100 µs more at p99). It never keeps a process alive, and it gives
// up the oldest work rather than grow without bound.

import { AsyncResource } from 'node:async_hooks';
import { createBoundedQueue, type QueueItem, type QueueSizing } from './bounded-queue.ts';
import { neverThrow } from './never-throw.ts';

/** Time (ms) after which no further step is begun in a turn of the host's event loop; one takes 0.25 ms at most. */
const SLICE_MS = 0.7;

/** Between two slices (ms) the host has its turn. */
const SLICE_INTERVAL_MS = 1;

/** A pause (ms) in which nothing new came. */
const IDLE_MS = 5;

/** Work that has waited so long (ms) is begun without a pause. */
const MAX_WAIT_MS = 50;

const MAX_WAITING = 10_000;

export interface RedactionQueue<Work> {
  push(work: Work): void;
  /**
   * Does everything that waits, now, or as much of it as can be done in `budgetMs`. Where others have the processor
   * meanwhile, their time is not counted: a busy machine costs no calls.
   */
  drain(budgetMs?: number): void;
  /**
   * Does what waits in `budgetMs`, and then all of it without its weight in as much again. For a process that ends.
   * @param isLast whether it ends for certain: what is left is then given up, but for the last, which tells of the others
   */
  finish(budgetMs: number, isLast: boolean): void;
}

export interface RedactionQueueOptions<Work> extends QueueSizing<Work> {
  /** Does a piece of work step by step; what it throws ends that piece and nothing else. */
  readonly steps: (work: Work) => Iterator<undefined, void>;
  /** Hears of work that was given up for want of room. */
  readonly onDropped: (work: Work) => void;
}

/** Creates a queue that works by itself. */
export function createRedactionQueue<Work>({
  steps,
  onDropped,
  ...sizing
}: RedactionQueueOptions<Work>): RedactionQueue<Work> {
  const queue = createBoundedQueue(sizing);
  let current: { readonly work: Iterator<undefined, void>; readonly item: QueueItem<Work> } | undefined;
  let scheduled = false;
  let firstMs = 0;
  let lastMs = 0;
  // Slices start from here, so that they do not hold on to the call, or the host's span, during which they were asked for.
  const context = new AsyncResource('toolscope.reduction', { requireManualDestroy: true });

  function begin() {
    const item = queue.take();
    return item && { work: steps(item.work), item };
  }

  /** @returns whether there was anything to do. */
  function step(): boolean {
    const running = current ?? begin();
    current = running;
    if (running === undefined) return false;
    if (!neverThrow(() => running.work.next().done, true)) return true;
    current = undefined;
    queue.release(running.item);
    return true;
  }

  function drain(budgetMs: number): void {
    queue.measureNew();
    const isOver = createCpuBudget(budgetMs);
    while (!isOver() && step());
  }

  function dropOldest(): void {
    const oldest = queue.take();
    if (oldest === undefined) return;
    queue.release(oldest);
    neverThrow(() => onDropped(oldest.work));
  }

  function slice(): void {
    scheduled = false;
    queue.measureNew();
    const until = performance.now() + SLICE_MS;
    while (step()) {
      if (performance.now() < until) continue;
      scheduled = true;
      // Not an immediate: one that is unref'd sleeps as long as the event loop does.
      context.runInAsyncScope(setTimeout, undefined, slice, SLICE_INTERVAL_MS).unref();
      return;
    }
  }

  function sliceWhenIdle(): void {
    queue.measureNew();
    const nowMs = performance.now();
    if (nowMs - lastMs >= IDLE_MS || nowMs - firstMs >= MAX_WAIT_MS) slice();
    else waitUntilIdle();
  }

  function waitUntilIdle(): void {
    context.runInAsyncScope(setTimeout, undefined, sliceWhenIdle, IDLE_MS).unref();
  }

  return {
    push(work) {
      if (queue.size >= MAX_WAITING) {
        queue.measureNew();
        dropOldest();
      }
      queue.add(work);
      lastMs = performance.now();
      if (scheduled) return;
      scheduled = true;
      firstMs = lastMs;
      waitUntilIdle();
    },
    drain: (budgetMs = Number.POSITIVE_INFINITY) => drain(budgetMs),
    finish(budgetMs, isLast) {
      drain(budgetMs);
      queue.shrinkAll();
      drain(budgetMs);
      while (isLast && queue.size > 1) dropOldest();
      if (isLast) drain(Number.POSITIVE_INFINITY);
    },
  };
}

/** Over once so much time has passed and this process has worked as long; its other threads may have, too. */
function createCpuBudget(budgetMs: number): () => boolean {
  const deadlineMs = performance.now() + budgetMs;
  const before = process.cpuUsage();
  return () => {
    if (performance.now() < deadlineMs) return false;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 >= budgetMs;
  };
}
