// A queue of work in arrival order, bounded by the heap bytes that its items retain. Sizes are measured
// outside of calls. New items that exceed the capacity are shrunk in preference to older ones.

import { Fifo } from '../exporter/fifo.ts';
import { neverThrow } from './never-throw.ts';

export interface QueueSizing<Work> {
  readonly measure: (work: Work) => number;
  /** Releases most of what an item retains when it exceeds the capacity; the item stays in the queue. */
  readonly shrink: (work: Work) => void;
}

/** A queued item with its counted bytes, which are 0 until it is measured. */
export interface QueueItem<Work> {
  readonly work: Work;
  bytes: number;
}

export interface BoundedQueue<Work> {
  readonly size: number;
  add(work: Work): void;
  /** Removes and returns the oldest item; its bytes count until `release` is called. */
  take(): QueueItem<Work> | undefined;
  release(item: QueueItem<Work>): void;
  measureNew(): void;
  shrinkAll(): void;
}

/** Items that may wait unmeasured. Only in a burst are sizes measured within a call. */
const MAX_UNMEASURED = 8;

export function createBoundedQueue<Work>({ measure, shrink }: QueueSizing<Work>): BoundedQueue<Work> {
  const budget = createByteBudget();
  const items = new Fifo<QueueItem<Work>>();
  let unmeasured: QueueItem<Work>[] = [];
  let isExhausted = false;

  function measureNew(): void {
    for (const item of unmeasured) {
      const bytes = neverThrow(() => measure(item.work), 0);
      isExhausted = !budget.take(bytes);
      if (isExhausted) neverThrow(() => shrink(item.work));
      else item.bytes = bytes;
    }
    unmeasured = [];
  }

  return {
    get size() {
      return items.size;
    },
    add(work) {
      const item = { work, bytes: 0 };
      items.push(item);
      unmeasured.push(item);
      // A large value that waits only to be shrunk would be copied by each collection: at 200 results of
      // 200 kB a second, collections took seven times as long.
      if (isExhausted || unmeasured.length > MAX_UNMEASURED) measureNew();
    },
    take: () => items.shift(),
    release: (item) => budget.release(item.bytes),
    measureNew,
    shrinkAll() {
      for (const item of items.list()) neverThrow(() => shrink(item.work));
    },
  };
}

/** Limit of the waiting values in heap bytes; together with the exporter's queue 16 MiB. */
export const MAX_PENDING_BYTES = 5 * 1024 * 1024;
const LARGE_VALUE_BYTES = 64 * 1024;
/** Rate at which large values are accepted; after a pause, `MAX_PENDING_BYTES` of them are at once. */
const LARGE_VALUE_BYTES_PER_MS = (4 * 1024 * 1024) / 1_000;

/**
 * Limits the waiting bytes, and the rate of large values: each survives minor collections of the host's heap.
 */
function createByteBudget() {
  let usedBytes = 0;
  let largeValueBytes = MAX_PENDING_BYTES;
  let refilledMs = performance.now();

  function takeLarge(bytes: number): boolean {
    const nowMs = performance.now();
    const refillBytes = (nowMs - refilledMs) * LARGE_VALUE_BYTES_PER_MS;
    largeValueBytes = Math.min(MAX_PENDING_BYTES, largeValueBytes + refillBytes);
    refilledMs = nowMs;
    if (bytes > largeValueBytes) return false;
    largeValueBytes -= bytes;
    return true;
  }

  return {
    /** Reserves capacity; false, without a reservation, when there is not enough. */
    take(bytes: number): boolean {
      if (usedBytes + bytes > MAX_PENDING_BYTES) return false;
      if (bytes > LARGE_VALUE_BYTES && !takeLarge(bytes)) return false;
      usedBytes += bytes;
      return true;
    },
    release(bytes: number): void {
      usedBytes -= bytes;
    },
  };
}
