// Work that waits for a pause in the traffic, done in steps between the host's own turns: right behind each answer it
// would leave cold caches to the next call (measured: 100 µs more at p99). It never keeps a process alive, and it gives
// up the oldest work rather than grow without bound.

import { AsyncResource } from 'node:async_hooks';
import { neverThrow } from './never-throw.ts';

/** Time (ms) after which no further step is begun in a turn of the host's event loop; one takes 0.25 ms at most. */
const SLICE_MS = 0.7;

/** Between two slices (ms) the host has its turn. */
const BETWEEN_SLICES_MS = 1;

/** A pause (ms) in which nothing new came. */
const PAUSE_MS = 5;

/** Work that has waited so long (ms) is begun without a pause. */
const LONGEST_WAIT_MS = 50;

const MOST_WAITING = 10_000;

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
}

/** Creates a queue that works by itself. */
export function createReductionQueue<Work>({
  steps,
  dropped,
}: ReductionQueueOptions<Work>): ReductionQueue<Work> {
  let waiting: Work[] = [];
  let at = 0;
  let current: Iterator<undefined, void> | undefined;
  let scheduled = false;
  let firstMs = 0;
  let lastMs = 0;
  // Slices start from here, so that they do not hold on to the call, or the host's span, during which they were asked for.
  const context = new AsyncResource('toolscope.reduction', { requireManualDestroy: true });

  function shift(): Work | undefined {
    const work = waiting[at];
    at += 1;
    if (at === waiting.length || at > 1_024) {
      waiting = waiting.slice(at);
      at = 0;
    }
    return work;
  }

  /** @returns whether there was anything to do. */
  function step(): boolean {
    if (current === undefined) {
      if (at >= waiting.length) return false;
      const work = shift();
      current = work === undefined ? undefined : steps(work);
    }
    const running = current;
    if (neverThrow(() => running?.next().done, true)) current = undefined;
    return true;
  }

  function slice(): void {
    scheduled = false;
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
        const oldest = shift();
        if (oldest !== undefined) neverThrow(() => dropped(oldest));
      }
      waiting.push(work);
      lastMs = performance.now();
      if (scheduled) return;
      scheduled = true;
      firstMs = lastMs;
      waitForPause();
    },
    drain(budgetMs = Number.POSITIVE_INFINITY) {
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
